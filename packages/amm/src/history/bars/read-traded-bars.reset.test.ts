import type { Chain } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'
import type { HistoryRequest, Pool, SwapRecord } from '../../ports.ts'
import { createBarMemory } from './bar-chunks.ts'
import { readTradedBars } from './read-traded-bars.ts'

const hour = 3_600
const day = 86_400
const now = 8 * day
const one = 2n ** 96n

type Past = {
  /** The root of the price at a time: the logs fit together where it stays. */
  readonly at: (timestamp: number) => bigint
  readonly logsFrom?: number
  readonly isSilent?: boolean
  readonly createdAt?: number
}

/** A chain with a small swap every forty minutes, and since when logs were asked for. */
function chainOf({ at, logsFrom = 0, isSilent = false, createdAt }: Past) {
  const asked: number[] = []
  const swaps = Array.from({ length: (now - 600) / 2_400 }, (_, index): SwapRecord => {
    const timestamp = 600 + index * 2_400
    const sqrtPriceX96 = at(timestamp)
    const log = { amount0: 1n, amount1: 0n, liquidity: 10n ** 18n, tick: 0, fee: 500, transactionHash: '0x' } as const
    return { ...log, sqrtPriceX96, timestamp, blockNumber: BigInt(timestamp), logIndex: 0 }
  }).filter(({ timestamp }) => timestamp >= (createdAt ?? 0))
  const liquidity = {
    async swaps(_chain: unknown, _pool: unknown, from: number, to = Infinity) {
      asked.push(from)
      const completeFrom = isSilent ? from : Math.max(from, logsFrom)
      const found = swaps.filter(({ timestamp }) => timestamp >= Math.max(from, logsFrom) && timestamp <= to)
      const isBorn = createdAt !== undefined && createdAt >= from && createdAt <= to
      const created = isBorn ? { sqrtPriceX96: at(createdAt), timestamp: createdAt } : null
      return { swaps: found, completeFrom, complete: completeFrom === from, created }
    },
  }
  return { asked, liquidity: liquidity as unknown as Parameters<typeof readTradedBars>[0]['liquidity'] }
}

function request(version: string, sqrtPriceX96: bigint, from = day, to = now): HistoryRequest {
  const pool = {
    id: '0xAB',
    version,
    fee: 500,
    tickSpacing: 10,
    protocolFee: 0,
    sqrtPriceX96,
    blockNumber: BigInt(now),
  }
  return { chain: { id: 1 } as Chain, pool: pool as Partial<Pool> as Pool, from, to, barSeconds: hour }
}

const before: Past = { at: () => one }
const after: Past = { at: () => 2n * one }

describe.each(['v2', 'v3'])('kept bars of a %s pool', (version) => {
  const read = (past: Past, kept: ReturnType<typeof createBarMemory>, ...period: [from?: number, to?: number]) => {
    const { liquidity, asked } = chainOf(past)
    const found = readTradedBars({ liquidity }, kept, request(version, past.at(now), ...period), now * 1_000)
    return found.then((reported) => ({ reported, asked }))
  }
  const fresh = async (past: Past) => (await read(past, createBarMemory())).reported
  const keptOf = async (past: Past, ...period: [from?: number, to?: number]) => {
    const kept = createBarMemory()
    await read(past, kept, ...period)
    return kept
  }

  test('are replaced by those of the chain that took its place, once', async () => {
    const kept = await keptOf(before)
    const first = await read(after, kept)
    expect([first.reported, first.asked]).toEqual([await fresh(after), [7 * day, day - 6 * hour]])
    const second = await read(after, kept)
    expect([second.reported, second.asked]).toEqual([first.reported, [7 * day]])
  })

  test('are replaced too where only some of them were read again', async () => {
    const kept = await keptOf(before)
    await read(after, kept, 4 * day)
    const first = await read(after, kept)
    expect([first.reported, first.asked]).toEqual([await fresh(after), [7 * day, day - 6 * hour]])
    expect((await read(after, kept)).asked).toEqual([7 * day])
  })

  test('go where the pool was created after them, whatever its price', async () => {
    const reborn = { ...before, createdAt: 7 * day + 2 * hour }
    const kept = await keptOf(before)
    const { reported } = await read(reborn, kept)
    expect(reported).toEqual(await fresh(reborn))
    expect(await read(reborn, kept)).toEqual({ reported, asked: [day - 6 * hour] })
    expect(reported.traded.bars.startsAt[0]).toBe(reborn.createdAt)
  })

  test('stay where the chain itself breaks off after them, which is found once', async () => {
    const torn: Past = { at: (timestamp) => (timestamp < 7 * day ? one : 2n * one) }
    const kept = await keptOf(before)
    const first = await read(torn, kept)
    expect([first.reported, first.asked]).toEqual([await fresh(torn), [7 * day, day - 6 * hour]])
    expect(first.reported.breaks).toBe(1)
    const second = await read(torn, kept)
    expect([second.reported, second.asked]).toEqual([first.reported, [6 * day]])
  })

  test.each<[string, number, boolean]>([
    ['of their last hours', 6.5 * day, false],
    ['of the time after them alone', 7 * day, false],
    ['of the time after them alone, and does not say so', 7 * day, true],
  ])('stay, and the break is told, where an endpoint has the logs %s', async (_, logsFrom, isSilent) => {
    const kept = await keptOf(before)
    for (let round = 0; round < 2; round += 1) {
      const { reported } = await read({ ...after, logsFrom, isSilent }, kept)
      expect([reported.breaks, reported.knownFrom, reported.traded.bars.startsAt[0]]).toEqual([1, day, day])
      expect([reported.traded.bars.closeTick[0], reported.traded.bars.closeTick.at(-1)]).toEqual([
        0,
        expect.closeTo(13_863.6, 0),
      ])
    }
  })

  test('stay where the second reading fails, unless the caller left', async () => {
    const kept = await keptOf(before)
    const asked = request(version, 2n * one)
    const leave = new AbortController()
    const { liquidity } = chainOf(after)
    const failing = {
      swaps: (...args: Parameters<typeof liquidity.swaps>) =>
        args[2] === 7 * day ? liquidity.swaps(...args) : Promise.reject(new Error('away')),
    }
    const ports = { liquidity: { ...liquidity, ...failing } }
    expect((await readTradedBars(ports, kept, asked, now * 1_000)).breaks).toBe(1)
    leave.abort()
    const left = readTradedBars(ports, kept, { ...asked, signal: leave.signal }, now * 1_000)
    await expect(left).rejects.toThrow('away')
  })
})
