import { expect, it } from 'vitest'
import { repeatedMember } from './json.ts'

it.each([
  ['{"a":1,\n "b":2, "a":3}', 'line 2, column 9: a stands twice'],
  ['{"a":{"b":1,"b":2}}', 'line 1, column 13: b stands twice'],
  ['[{"a":1},{"a":1,"\\u0061":2}]', 'line 1, column 17: a stands twice'],
  ['{"a":{"a":[{"a":1},"a"]},"b":"{\\"a\\":1","c":"a"}', null],
  ['{"a":"\\"a\\":","b":{}}', null],
  ['[]', null],
])('in %s: %s', (text, fault) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow()
  expect(repeatedMember(text)).toBe(fault)
})
