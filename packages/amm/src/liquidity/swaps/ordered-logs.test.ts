import { expect, test } from 'vitest'
import { orderedLogs, type PlacedLog } from '../logs/read-event-logs.ts'

const address = '0x00000000000000000000000000000000000000Aa'
const asked = { address, fromBlock: 5n, toBlock: 9n } as const
const log = (change: Partial<PlacedLog> = {}): PlacedLog => ({
  address: '0x00000000000000000000000000000000000000aa',
  blockNumber: 7n,
  logIndex: 3,
  transactionHash: '0x1',
  removed: false,
  ...change,
})

test('logs come in the order of the chain, whatever order they were told in', () => {
  const [first, second, third] = [log({ blockNumber: 5n, logIndex: 9 }), log(), log({ logIndex: 4 })]
  expect(orderedLogs([third, second, first], asked)).toEqual([first, second, third])
})

test.each<[string, Partial<PlacedLog>]>([
  ['of another contract', { address: '0x000000000000000000000000000000000000dEaD' }],
  ['that was taken back', { removed: true }],
  ['without a block', { blockNumber: null }],
  ['without a place in it', { logIndex: null }],
  ['without a transaction', { transactionHash: null }],
  ['of a block before those asked for', { blockNumber: 4n }],
  ['of a block after them', { blockNumber: 10n }],
])('a log %s is refused', (_, change) => {
  expect(() => orderedLogs([log({ logIndex: 1 }), log(change)], asked)).toThrow(
    expect.objectContaining({ code: 'RPC_UNAVAILABLE' }),
  )
})

test('a log told twice is refused', () => {
  expect(() => orderedLogs([log(), log({ blockNumber: 6n }), log()], asked)).toThrow(/one log twice/)
})
