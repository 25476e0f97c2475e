import { expect, test } from 'vitest'
import { holdsLongNumber } from './post-json-rpc.ts'

const digits = '9'.repeat(79)

test.each<[unknown]>([
  [digits],
  [` \n${digits}`],
  [`-${digits}`],
  [{ number: '0x1', timestamp: digits }],
  [[{ topics: [], blockNumber: digits }]],
  [Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], digits)],
])('finds a decimal number longer than a word: %#', (reported) => {
  expect(holdsLongNumber(reported)).toBe(true)
})

test.each<[unknown]>([
  [`0x${'9'.repeat(1_000)}`],
  [String(2n ** 256n - 1n)],
  [{ calls: [{ error: { message: `execution reverted: ${digits}` } }] }],
  [[null, true, 1e300, undefined]],
  [null],
])('takes what a chain tells: %#', (reported) => {
  expect(holdsLongNumber(reported)).toBe(false)
})
