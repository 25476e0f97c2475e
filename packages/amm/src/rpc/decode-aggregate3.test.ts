import * as fc from 'fast-check'
import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { decodeAggregate3 } from './read-all.ts'

const parameters = parseAbiParameters('(bool success, bytes returnData)[]')
const bytes = fc.uint8Array({ maxLength: 200 }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`)
const outcomes = fc.array(fc.record({ success: fc.boolean(), returnData: bytes }), { maxLength: 20 })

test('gives back what the general encoder wrote', () => {
  fc.assert(
    fc.property(outcomes, (given) => {
      expect(decodeAggregate3(encodeAbiParameters(parameters, [given]))).toEqual(given)
    }),
  )
})

test('refuses an answer that is cut off anywhere', () => {
  fc.assert(
    fc.property(outcomes, fc.double({ min: 0, max: 0.999, noNaN: true }), (given, share) => {
      const whole = encodeAbiParameters(parameters, [given])
      // What is missing of the padding at the end takes nothing of the bytes.
      const padding = (32 - ((((given.at(-1)?.returnData.length ?? 2) - 2) / 2) % 32)) % 32
      const cut = whole.slice(0, 2 + Math.floor(((whole.length - 2) / 2 - padding) * share) * 2) as Hex
      expect(() => decodeAggregate3(cut)).toThrow(RangeError)
    }),
  )
})

/** A list whose elements all are the first, of `bytes` bytes. */
function shared(count: number, bytes: number): Hex {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const offsets = word(count * 32).repeat(count)
  return `0x${word(32)}${word(count)}${offsets}${word(1)}${word(64)}${word(bytes)}${'00'.repeat(bytes)}`
}

test('refuses bytes that more elements share than there are bytes', () => {
  expect(decodeAggregate3(shared(2, 32))).toHaveLength(2)
  expect(() => decodeAggregate3(shared(50, 8_192))).toThrow(RangeError)
})

test.each([
  ['nothing', '0x'],
  ['an offset outside', `0x${'f'.repeat(64)}`],
  ['a count beyond the bytes', `0x${'20'.padStart(64, '0')}${'ffffffff'.padStart(64, '0')}`],
  ['no hexadecimal', `0x${'zz'.repeat(64)}`],
] as const)('refuses %s', (_what, data) => {
  expect(() => decodeAggregate3(data)).toThrow(RangeError)
})
