import { expect, test } from 'vitest'
import type { HistoryRequest } from '../../ports.ts'
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
  expect(heard).toEqual([signal])
})
