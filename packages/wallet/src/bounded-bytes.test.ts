import { expect, test } from 'vitest'
import { boundedBytes } from './bounded-bytes.ts'

test('what is too long is not read to its end', async () => {
  const state = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.pulled += 1
      controller.enqueue(new Uint8Array(600))
    },
    cancel() {
      state.cancelled = true
    },
  })
  const { signal } = new AbortController()
  await expect(boundedBytes(new Response(body), { mostBytes: 1_000, signal })).rejects.toThrow(RangeError)
  expect(state.pulled).toBeLessThan(5)
  expect(state.cancelled).toBe(true)
})
