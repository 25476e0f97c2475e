import { expect, test } from 'vitest'
import type { HistoryRequest, SwapRecord } from '../ports.ts'
import { createBarMemory } from './bars/bar-chunks.ts'
import { readRpcHistory } from './read-rpc-history.ts'
import { swapsThroughAGap } from './swaps-through-a-gap.fixture.ts'

test('a history that the endpoint gives in part says since when, and counts what is missing', async () => {
  const now = 1_700_000_000
  const completeFrom = now - 50 * 3_600
  const swap = { amount0: 5n, amount1: -5n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, fee: 500, logIndex: 0 }
  const liquidity = {
    swaps: async () => ({
      swaps: [{ ...swap, timestamp: completeFrom + 7_000, tick: 0, blockNumber: 1n, transactionHash: '0x' as const }],
      created: null,
      completeFrom,
      complete: false,
    }),
  }
  const prices = { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const }
  const token = { decimals: 18 }
  const pool = { id: '0x', version: 'v3', protocolFee: 0, hooks: null, token0: token, token1: token }
  const request = { chain: { id: 1 }, pool, from: now - 100 * 3_600, to: now, barSeconds: 3_600 } as HistoryRequest
  const read = await readRpcHistory({ liquidity, prices }, createBarMemory(), request, now * 1000)
  expect(read.completeness).toMatchObject({
    barsExpected: 101,
    hasAllTrades: false,
    barsFound: read.bars.startsAt.length,
    note: expect.stringContaining(new Date(completeFrom * 1000).toISOString()),
  })
  expect(read.bars.startsAt[0]).toBeGreaterThan(completeFrom)
  expect([read.figures.volumeUsd, read.figures.trades?.[0]]).toEqual([null, 1])
})

test('logs that do not fit together make an estimate, and a note says in how many places', async () => {
  const startsAt = 1_700_006_400
  const { swaps, state } = swapsThroughAGap({ days: 2, startsAt, pushedTo: null })
  const readWith = (reported: readonly SwapRecord[]) => {
    const liquidity = { swaps: async () => ({ swaps: reported, completeFrom: 0, complete: true, created: null }) }
    const pool = {
      id: '0x',
      version: 'v3',
      fee: 3_000,
      tickSpacing: 60,
      protocolFee: 0,
      hooks: null,
      token0: { decimals: 18 },
      token1: { decimals: 18 },
      sqrtPriceX96: state.sqrtPriceX96,
      blockNumber: 2n ** 60n,
    }
    const to = startsAt + 2 * 86_400
    const request = { chain: { id: 1 }, pool, from: startsAt, to, barSeconds: 3_600 } as HistoryRequest
    const prices = { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const }
    return readRpcHistory({ liquidity, prices }, createBarMemory(), request, to * 1_000)
  }
  const whole = await readWith(swaps)
  expect([whole.isEstimate, whole.completeness.hasAllTrades, whole.completeness.note]).toEqual([false, true, null])
  const holed = await readWith(swaps.filter((_, index) => index % 10 !== 5))
  expect([holed.isEstimate, holed.completeness.hasAllTrades]).toEqual([true, false])
  expect(holed.completeness.note).toMatch(/do not fit together in 5 places/)
  const cut = await readWith(swaps.slice(0, -3))
  expect([cut.isEstimate, cut.completeness.note]).toEqual([true, expect.stringMatching(/in 1 place/)])
})
