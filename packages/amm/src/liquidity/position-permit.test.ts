import { decodeFunctionData, encodeFunctionData, type Hex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { universalRouterAbi } from './v4/plan-swap.ts'
import { isUnsigned, positionPermitAbi, withPermit, withSignature } from './plan-migrate.ts'

const router = '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af'
const execute = (commands: Hex, inputs: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args: [commands, inputs, 9n] })
const permit = { positionManager: router, spender: router, tokenId: 7n, nonce: 0n, deadline: 5 } as const

test('a permit stands before the commands, and its signature takes the place kept for it, whatever its recovery id', async () => {
  const data = withPermit(execute('0x1214', ['0xaa', '0xbb']), permit)
  expect([isUnsigned(data), isUnsigned(execute('0x12', ['0xaa']))]).toEqual([true, false])
  const account = privateKeyToAccount(`0x${'5'.repeat(64)}`)
  const ids = new Set<number>()
  for (let message = 0; ids.size < 2; message += 1) {
    const signature = await account.signMessage({ message: `${message}` })
    const { r, s, yParity } = parseSignature(signature)
    ids.add(yParity)
    const signed = withSignature(data, signature)
    const [commands, inputs, deadline] = decodeFunctionData({ abi: universalRouterAbi, data: signed }).args
    expect([commands, inputs.slice(1), deadline, isUnsigned(signed)]).toEqual(['0x911214', ['0xaa', '0xbb'], 9n, false])
    const { args } = decodeFunctionData({ abi: positionPermitAbi, data: inputs[0]! })
    expect(args).toEqual([router, 7n, 5n, 27 + yParity, r, s])
  }
})

test('a signature goes into one place and no other', async () => {
  const account = privateKeyToAccount(`0x${'5'.repeat(64)}`)
  const signature = await account.signMessage({ message: 'x' })
  const once = withPermit(execute('0x12', ['0xaa']), permit)
  for (const data of [execute('0x12', ['0xaa']), withPermit(once, permit), withSignature(once, signature)]) {
    expect(() => withSignature(data, signature)).toThrow(TypeError)
  }
})
