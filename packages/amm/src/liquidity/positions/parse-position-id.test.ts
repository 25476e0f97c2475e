import { describe, expect, it } from 'vitest'
import { parsePositionId } from '../create-liquidity-reads.ts'

describe('parsePositionId', () => {
  it.each([
    ['0', 0n],
    ['42', 42n],
    [(2n ** 256n - 1n).toString(), 2n ** 256n - 1n],
  ])('reads %s', (text, id) => {
    expect(parsePositionId(text)).toBe(id)
  })

  it.each(['', '-1', '0x1', '1.5', '01', '１', '1e3', ' 1', '1\n', (2n ** 256n).toString(), '9'.repeat(10_000)])(
    'refuses %j and says what it accepts',
    (text) => {
      expect(() => parsePositionId(text)).toThrow(
        expect.objectContaining({
          code: 'VALIDATION_FAILED',
          details: [expect.objectContaining({ field: 'positionId', accepted: expect.any(String) })],
        }),
      )
    },
  )
})
