import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_UINT256 } from '../integers/integers.ts'
import { outcome, upToBits } from '../v3-sdk.fixture.ts'
import { AmountError, formatAmount, parseAmount, usdMicrosFromAmount } from './amounts.ts'

const anyDecimals = fc.integer({ min: 0, max: 40 })

describe('parse and format', () => {
  test('what is written is read back, to the unit', () => {
    fc.assert(
      fc.property(upToBits(256), anyDecimals, (amount, decimals) => {
        const text = formatAmount(amount, decimals)
        expect(parseAmount(text, decimals)).toBe(amount)
        expect(text).not.toMatch(/\.\d*0$|\.$/)
      }),
      { numRuns: 2000 },
    )
  })

  test('accepts exactly the stated grammar, within 256 bits', () => {
    const scraps = fc.constantFrom(
      '0',
      '1',
      '9',
      '00',
      '.',
      '-',
      '+',
      'e',
      'E',
      ' ',
      ',',
      '_',
      'x',
      '１',
      '٣',
      '\n',
      '٫',
    )
    const texts = fc.oneof(
      fc.array(scraps, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.string(),
    )
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 20 }), (text, decimals) => {
        const grammar =
          decimals === 0 ? /^(0|[1-9]\d{0,77})$/ : new RegExp(`^(0|[1-9]\\d{0,77})(\\.\\d{1,${decimals}})?$`)
        expect(outcome(() => parseAmount(text, decimals)) !== 'throws').toBe(grammar.test(text))
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    ['', 18, 'empty'],
    [' 1', 18, 'space'],
    ['1 ', 18, 'space'],
    ['1\n', 18, 'space'],
    ['1\u00a0', 18, 'space'],
    ['1\u3000', 18, 'space'],
    ['-0', 18, 'sign'],
    ['-1', 18, 'sign'],
    ['+1', 18, 'sign'],
    ['1e18', 18, 'exponent'],
    ['1.5E3', 18, 'exponent'],
    ['１２', 18, 'not-ascii'],
    ['1\u200b', 18, 'not-ascii'],
    ['٣', 18, 'not-ascii'],
    ['−1', 18, 'not-ascii'],
    ['01', 18, 'leading-zero'],
    ['00', 18, 'leading-zero'],
    ['1.1234567', 6, 'too-many-decimals'],
    ['1.0', 0, 'too-many-decimals'],
    ['9'.repeat(79), 0, 'too-large'],
    ['9'.repeat(78), 0, 'too-large'],
    [(MAX_UINT256 + 1n).toString(), 0, 'too-large'],
    ['1'.padEnd(70, '0'), 18, 'too-large'],
    ['.5', 18, 'malformed'],
    ['5.', 18, 'malformed'],
    ['1.2.3', 18, 'malformed'],
    ['1,000', 18, 'malformed'],
    ['0x10', 18, 'malformed'],
    ['1_000', 18, 'malformed'],
    ['NaN', 18, 'malformed'],
  ] as const)('refuses %j with %i decimals as %s', (text, decimals, reason) => {
    expect(() => parseAmount(text, decimals)).toThrow(
      expect.objectContaining({ name: 'AmountError', reason, accepted: expect.stringContaining('a plain') }),
    )
  })

  test('says how many decimals it takes and never repeats the text', () => {
    const error = catchError(() => parseAmount('1.<script>', 6))
    expect(error.accepted).toBe('a plain decimal such as "12.5" with at most 6 digits after the point')
    expect(error.message).not.toContain('script')
  })

  test('known amounts', () => {
    expect(parseAmount('1', 18)).toBe(10n ** 18n)
    expect(parseAmount('0.000001', 6)).toBe(1n)
    expect(parseAmount('0', 6)).toBe(0n)
    expect(parseAmount('0.0', 6)).toBe(0n)
    expect(parseAmount(MAX_UINT256.toString(), 0)).toBe(MAX_UINT256)
    expect(formatAmount(1_500_000n, 6)).toBe('1.5')
    expect(formatAmount(-1n, 18)).toBe('-0.000000000000000001')
    expect(formatAmount(0n, 18)).toBe('0')
    expect(formatAmount(1200n, 0)).toBe('1200')
  })
})

describe('worth in micro dollars', () => {
  test('is the exact product rounded up, by less than one unit', () => {
    fc.assert(
      fc.property(
        upToBits(128),
        anyDecimals,
        upToBits(60),
        fc.integer({ min: 0, max: 18 }),
        (amount, decimals, digits, places) => {
          const price = digits + 1n
          const micros = usdMicrosFromAmount(amount, decimals, formatAmount(price, places))
          const exact = amount * price * 1_000_000n
          const scale = 10n ** BigInt(places + decimals)
          expect(micros * scale >= exact && (micros - 1n) * scale < exact).toBe(true)
        },
      ),
    )
  })

  test('known worths', () => {
    expect(usdMicrosFromAmount(10n ** 18n, 18, 3000)).toBe(3_000_000_000n)
    expect(usdMicrosFromAmount(1n, 18, '3000')).toBe(1n)
    expect(usdMicrosFromAmount(0n, 18, '3000')).toBe(0n)
    expect(usdMicrosFromAmount(10n ** 24n, 18, 1e-8)).toBe(10_000n)
    expect(() => usdMicrosFromAmount(-1n, 18, 1)).toThrow(expect.objectContaining({ code: 'AMOUNT_NEGATIVE' }))
  })
})

function catchError(call: () => unknown): AmountError {
  try {
    call()
  } catch (error) {
    if (error instanceof AmountError) return error
  }
  throw new Error('no AmountError')
}
