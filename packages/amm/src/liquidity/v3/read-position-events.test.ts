import { chains } from '@svc/wallet/core'
import { type AbiEvent, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { Position, PositionChanges, ReadPorts } from '../../ports.ts'
import { createEventMemory, readV3PositionEvents } from './read-position-events.ts'

const base = chains.find(({ id }) => id === 8_453)!

/** What is begun beside two readings of a position with one opening and so many collections, which the chain tells of each time. */
async function begunTwice(collections: number) {
  const logs: Readonly<Record<string, number>> = { Transfer: 1, Collect: collections }
  const getLogs = async ({ event }: { readonly event: AbiEvent }) =>
    Array.from({ length: logs[event.name] ?? 0 }, (_, index) => ({
      args: { amount0: 1n, amount1: 2n },
      blockNumber: event.name === 'Transfer' ? 1n : BigInt(index + 2),
      blockHash: numberToHex(index, { size: 32 }),
      transactionHash: numberToHex(index, { size: 32 }),
      blockTimestamp: BigInt(index),
      logIndex: 0,
    }))
  const ports = { rpc: { client: () => ({ getLogs }) } } as object as ReadPorts
  const memory = createEventMemory()
  const position = { positionId: '7', pool: { id: `0x${'3'.repeat(40)}` }, fees0: 0n, fees1: 0n } as object as Position
  const underway = { version: 'v3', positionId: '7', blockNumber: 100n, reading: Promise.resolve(position) } as const
  const read = async () => {
    const begun: PositionChanges[] = []
    const alongside = (changes: PositionChanges) => begun.push(changes)
    const { events, earned } = await readV3PositionEvents(ports, base, underway, { alongside, memory })
    return { begun: begun.map((changes) => changes.events.length), events: events.length, earned }
  }
  return [await read(), await read()] as const
}

test('a position with eighty logs is remembered, so that the next reading begins with them', async () => {
  const [first, second] = await begunTwice(79)
  expect(first.begun).toEqual([79])
  expect(second).toEqual({ ...first, begun: [79, 79] })
})

test('one with a log more is read whole each time and takes no memory, though none of it asks for a price', async () => {
  const [first, second] = await begunTwice(80)
  expect(first).toEqual({ begun: [80], events: 80, earned: { fees0: 80n, fees1: 160n } })
  expect(second).toEqual(first)
})
