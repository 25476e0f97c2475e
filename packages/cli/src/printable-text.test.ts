import { expect, test } from 'vitest'
import { printableText } from './terminal-text.ts'

test.each([
  ['\u001B[2J\u001B]0;owned\u0007', '\\u001b[2J\\u001b]0;owned\\u0007'],
  ['\rOK \u009B31m', '\\u000dOK \\u009b31m'],
  ['a\u202Eb\u2066c\u200Bd\u2028e', 'a\\u202eb\\u2066c\\u200bd\\u2028e'],
  ['\u{E0041}', '\\udb40\\udc41'],
  ['Größe 大 🦄\nnext ± 1', 'Größe 大 🦄\nnext ± 1'],
])('%j is shown as %j', (text, shown) => {
  expect(printableText(text)).toBe(shown)
})

test('JSON says the same as before', () => {
  const said = { name: '\u001B\u009B\u202E\u{E0041}\n', more: [1] }
  expect(JSON.parse(printableText(JSON.stringify(said)))).toEqual(said)
})
