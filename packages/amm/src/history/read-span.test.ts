import { expect, test } from 'vitest'
import type { HistoryRequest } from '../ports.ts'
import { turnsTaken } from '../../../runtime/src/turns-taken.fixture.ts'
import { readSpan } from './read-span.ts'

test('a caller who leaves is known to whoever reads the logs', async () => {
  const { signal } = new AbortController()
  const heard: unknown[] = []
  const swaps = async (...asked: unknown[]) => {
    heard.push(asked[4])
    return { swaps: [], completeFrom: 0, complete: true, created: null }
  }
  const pool = { id: '0x', version: 'v3' }
  const request = { chain: { id: 1 }, pool, from: 0, to: 7_200, barSeconds: 3_600, signal } as object as HistoryRequest
  await readSpan({ liquidity: { swaps } }, request, null, 10 ** 12)
  expect(heard).toEqual([{ signal }])
})

test('others come in while many logs are made into bars, and while each is held against the one before', async () => {
  const still = { amount0: 0n, amount1: 0n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, fee: 500 }
  // Before the span, where the bars look at each but once.
  const swaps = Array.from({ length: 4_001 }, (_, index) => Object.assign({ timestamp: index }, still))
  const reported = async () => ({ swaps, completeFrom: 0, complete: true, created: null })
  const asked = {
    chain: { id: 1 },
    pool: { version: 'v3', tickSpacing: 10 },
    from: 7_200,
    to: 10_800,
    barSeconds: 3_600,
  }
  const request = asked as object as HistoryRequest
  const liquidity = { swaps: reported } as object as Parameters<typeof readSpan>[0]['liquidity']
  const { turns } = await turnsTaken(() => readSpan({ liquidity }, request, null, 10 ** 12))
  // Bars look at 25 in a step, the other at one.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(4_001 / 32) + Math.floor(4_001 / 800))
})
