import { expect, test } from 'vitest'
import { canonicalBytes } from './registration-file.ts'

const textOf = (value: unknown) => new TextDecoder().decode(canonicalBytes(value))

test('the order in which keys were written does not matter, and nothing is between them', () => {
  expect(textOf({ b: [1, { d: 'ä', c: null }], a: 1e21 })).toBe('{"a":1e+21,"b":[1,{"c":null,"d":"ä"}]}')
  expect(canonicalBytes({ a: 1, b: 2 })).toEqual(canonicalBytes({ b: 2, a: 1 }))
})

test('what JSON cannot say is refused', () => {
  expect(() => canonicalBytes(undefined)).toThrow(expect.objectContaining({ code: 'VALIDATION_CARD_INVALID' }))
})
