import * as fc from 'fast-check'
import { type Address, encodeFunctionData, getAddress, type Hex, multicall3Abi } from 'viem'
import { expect, it } from 'vitest'
import { encodeAggregate3 } from './read-all.ts'

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(hexOf(bytes)))
const call = fc.record({ to: address, data: fc.uint8Array({ maxLength: 200 }).map(hexOf) })

it('writes what the general encoder writes', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      const args = [calls.map(({ to, data }) => ({ target: to, callData: data, allowFailure: true }))] as const
      expect(encodeAggregate3(calls)).toBe(encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args }))
    }),
  )
})

it('takes nothing but an address for a target', () => {
  for (const to of ['0x', `0x${'1'.repeat(42)}`, `0x${'g'.repeat(40)}`] as Address[]) {
    expect(() => encodeAggregate3([{ to, data: '0x' }])).toThrow(TypeError)
  }
})
