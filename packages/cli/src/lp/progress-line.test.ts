import { expect, test } from 'vitest'
import { progressLine } from './ask-pool.ts'

test('progress is one line of a terminal, gone in the end, and nothing of a file', () => {
  const written: string[] = []
  const write = (text: unknown) => written.push(String(text)) > 0
  for (const isTTY of [true, false]) {
    const tell = progressLine({ isTTY, write })
    tell(64, 128)
    tell(128, 128)
  }
  expect(written).toEqual(['\r64 of 128 paths', '\r\u001B[K'])
})
