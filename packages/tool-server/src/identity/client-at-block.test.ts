import type { PublicClient } from 'viem'
import { expect, test } from 'vitest'
import { clientAtBlock } from './create-identities.ts'

const asked: unknown[] = []
const say = (method: string) => async (read?: unknown) => void asked.push([method, read])
const methods = ['readContract', 'call', 'getCode', 'getContractEvents', 'getChainId', 'getLogs', 'multicall']
const client = Object.fromEntries(methods.map((method) => [method, say(method)])) as unknown as PublicClient

test('calls and code are of the block, and logs end with it', async () => {
  const held = clientAtBlock(client, 9n)
  await held.call({ data: '0x' })
  await held.getCode({ address: '0x0000000000000000000000000000000000000001' })
  for (const toBlock of ['latest', 12n, 3n] as const) await held.getContractEvents({ abi: [], fromBlock: 0n, toBlock })
  await held.getChainId()
  expect(asked).toEqual([
    ['call', { data: '0x', blockNumber: 9n }],
    ['getCode', { address: '0x0000000000000000000000000000000000000001', blockNumber: 9n }],
    ['getContractEvents', { abi: [], fromBlock: 0n, toBlock: 9n }],
    ['getContractEvents', { abi: [], fromBlock: 0n, toBlock: 9n }],
    ['getContractEvents', { abi: [], fromBlock: 0n, toBlock: 3n }],
    ['getChainId', undefined],
  ])
  expect(await held.getBlockNumber()).toBe(9n)
})

test('a read that nobody has taught it to hold is refused rather than made at the newest block', () => {
  const held = clientAtBlock(client, 9n)
  expect(() => held.getLogs({})).toThrow(/getLogs is not held to a block/)
  expect(() => held.multicall({ contracts: [] })).toThrow(/multicall is not held to a block/)
})
