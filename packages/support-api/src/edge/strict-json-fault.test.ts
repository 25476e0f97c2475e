import { expect, it } from 'vitest'
import { strictJsonFault } from './json.ts'

it.each([
  '{}',
  '[[],[]]',
  '"a"',
  '{"a":{"a":1},"b":["a","a",{"a":2}]}',
  '{"a":"a\\":","b":"{[}","c":"\\\\"}',
  '{"a":["{","}"],"\\"":1,"\\\\":2}',
])('nothing is wrong with %s', (json) => {
  JSON.parse(json)
  expect(strictJsonFault(json, 4)).toBeNull()
})

it.each([
  ['{"a":1,"a":1}', '"a"'],
  ['{"a":{"b":1},"c":[{"d":1,"d":2}]}', '"d"'],
  [`{"a":1,"a"${' '.repeat(500)}:2}`, '"a"'],
  ['{"a":1,"\\u0061":2}', '"a"'],
  ['{"":1,"":2}', '""'],
  ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
])('a name stands twice in %s', (json, name) => {
  JSON.parse(json)
  expect(strictJsonFault(json, 4)).toBe(`The name ${name} stands twice in one object.`)
})

it('nesting ends where it is told to', () => {
  expect(strictJsonFault('[[[[]]]]', 4)).toBeNull()
  expect(strictJsonFault('[[[[[]]]]]', 4)).toContain('4 levels')
})
