import { expect, test } from 'vitest'
import type { HistoryRequest } from '../../ports.ts'
import { createBarMemory } from './create-bar-memory.ts'
import { readRpcHistory } from './read-rpc-history.ts'

test('a history that the endpoint gives in part says since when, and counts what is missing', async () => {
  const now = 1_700_000_000
  const completeFrom = now - 50 * 3_600
  const swap = { amount0: 5n, amount1: -5n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, fee: 500 }
  const liquidity = {
    swaps: async () => ({
      swaps: [{ ...swap, timestamp: completeFrom + 7_000, tick: 0, blockNumber: 1n, transactionHash: '0x' as const }],
      completeFrom,
      complete: false,
    }),
  }
  const prices = { usd: async () => null, ratio: async () => null }
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
