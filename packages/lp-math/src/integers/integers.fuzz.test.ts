import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { outcome, upToBits } from '../v3-sdk.fixture.ts'
import { divRoundingUp, integerSqrt } from './integers.ts'
import { parsePositiveDecimal, rationalToNumber } from '../prices/prices.ts'

test('the root is the greatest integer whose square fits', () => {
  fc.assert(
    fc.property(upToBits(1400), (value) => {
      const root = integerSqrt(value)
      expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('the root is exact at and beside squares', () => {
  fc.assert(
    fc.property(upToBits(600), (value) => {
      const root = value + 2n
      expect(integerSqrt(root * root)).toBe(root)
      expect(integerSqrt(root * root - 1n)).toBe(root - 1n)
      expect(integerSqrt(root * root + 1n)).toBe(root)
    }),
    { numRuns: 2000 },
  )
})

test('division rounds up exactly when there is a remainder', () => {
  fc.assert(
    fc.property(upToBits(300), upToBits(200), (numerator, denominator) => {
      const divisor = denominator + 1n
      const quotient = divRoundingUp(numerator, divisor)
      expect(quotient * divisor >= numerator && (quotient - 1n) * divisor < numerator).toBe(true)
    }),
  )
})

test('a quotient becomes the nearest double: no neighbour is nearer', () => {
  fc.assert(
    fc.property(upToBits(1000), upToBits(1000), (top, bottom) => {
      const [numerator, denominator] = [top + 1n, bottom + 1n]
      fc.pre(Math.abs(top.toString(2).length - bottom.toString(2).length) < 960)
      const value = rationalToNumber(numerator, denominator)
      const distance = (candidate: number): bigint => {
        // Every double of this size is an integer multiple of 2^-1074.
        const scaled = exactInteger(candidate) * denominator - (numerator << 1074n)
        return scaled < 0n ? -scaled : scaled
      }
      expect(distance(value) <= distance(neighbour(value, 1n))).toBe(true)
      expect(distance(value) <= distance(neighbour(value, -1n))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('a decimal number is read back as itself, in either notation', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-290, max: 1e290, noNaN: true }), (value) => {
      const { numerator, denominator } = parsePositiveDecimal(value)
      expect(rationalToNumber(numerator, denominator)).toBe(value)
    }),
    { numRuns: 2000 },
  )
  expect(parsePositiveDecimal('1.50')).toEqual({ numerator: 150n, denominator: 100n })
  expect(parsePositiveDecimal(1.5e-7)).toEqual({ numerator: 15n, denominator: 10n ** 8n })
  expect(parsePositiveDecimal(2.5e21)).toEqual({ numerator: 25n * 10n ** 20n, denominator: 1n })
})

test('refuses prices that are malformed or not positive, and lets no other text through', () => {
  const malformed = expect.objectContaining({ code: 'PRICE_MALFORMED' })
  for (const bad of ['', ' 1', '1 ', '+1', '-1', '1e3', '.5', '5.', '01', '1,5', '１', 'Infinity', Number.NaN, 1 / 0]) {
    expect(() => parsePositiveDecimal(bad)).toThrow(malformed)
  }
  const outOfRange = expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' })
  for (const bad of ['0', '0.00', 0, -0, -1]) expect(() => parsePositiveDecimal(bad)).toThrow(outOfRange)
  fc.assert(
    fc.property(fc.string(), (text) => {
      const taken = outcome(() => parsePositiveDecimal(text)) !== 'throws'
      expect(taken).toBe(/^(0|[1-9]\d{0,77})(\.\d{1,120})?$/.test(text) && /[1-9]/.test(text))
    }),
  )
})

const bits = new DataView(new ArrayBuffer(8))

function neighbour(value: number, step: bigint): number {
  bits.setFloat64(0, value)
  bits.setBigInt64(0, bits.getBigInt64(0) + step)
  return bits.getFloat64(0)
}

/** value * 2^1074, exactly. */
function exactInteger(value: number): bigint {
  bits.setFloat64(0, value)
  const raw = bits.getBigInt64(0)
  const exponent = raw >> 52n
  const fraction = raw & ((1n << 52n) - 1n)
  return exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
}
