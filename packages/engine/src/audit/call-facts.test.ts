import { expect, it } from 'vitest'
import { paramsHash } from './call-facts.ts'

it('hashes arguments alike whatever the order of their members, and differently for any other value', () => {
  const one = paramsHash({ amount: '1', nested: { a: [1, 2], b: 5n } })
  expect(paramsHash({ nested: { b: 5n, a: [1, 2] }, amount: '1' })).toBe(one)
  expect(paramsHash({ amount: '1', nested: { a: [2, 1], b: 5n } })).not.toBe(one)
  expect(paramsHash({})).toMatch(/^[0-9a-f]{64}$/)
})
