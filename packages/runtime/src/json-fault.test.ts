import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonFault } from './json.ts'

it.each([
  ['', 'line 1, column 1: expected a value, found the end of the file'],
  ['{"a": 1,}', 'line 1, column 9: expected a name in double quotes, found }'],
  ['{\n  "a": "1"\n  "b": 2\n}', 'line 3, column 3: expected a comma or }, found "'],
  ['{"a" 1}', 'line 1, column 6: expected a colon, found 1'],
  ["{'a': 1}", "line 1, column 2: expected a name in double quotes, found '"],
  ['{"a": 01}', 'line 1, column 7: expected a value, found 0'],
  ['{"a": .5}', 'line 1, column 7: expected a value, found .'],
  ['{"a": 500 USD}', 'line 1, column 11: expected a comma or }, found U'],
  ['[1, 2', 'line 1, column 6: expected a comma or ], found the end of the file'],
  ['{"a": "x\n"}', 'line 1, column 9: expected the rest of a text in double quotes, found the end of the line'],
  ['{"a": "x', 'line 1, column 9: expected ", found the end of the file'],
  ['{} // limits', 'line 1, column 4: expected the end of the file, found /'],
  ['\ufeff{}', 'line 1, column 1: expected a value, found a byte order mark'],
  ['{"a": “1”}', 'line 1, column 7: expected a value, found U+201C'],
  ['{"a": tru}', 'line 1, column 7: expected a value, found t'],
])('says of %j: %s', (text, said) => {
  expect([isJson(text), jsonFault(text)]).toEqual([false, said])
})

it('does not run out of stack', () => {
  expect(jsonFault('['.repeat(500_000))).toMatch(/^line 1, column 202: expected at most 200 levels/)
})

it('finds a place in every text that JSON.parse refuses, and in no other', () => {
  const cut = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', ':', 'x', '\n'))
    .map(([json, at, put]) => {
      const place = at % (json.length + 1)
      return json.slice(0, place) + put + json.slice(place + 1)
    })
  fc.assert(
    fc.property(cut, (text) => {
      expect(jsonFault(text) === 'not JSON').toBe(isJson(text))
    }),
    { numRuns: 500 },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
