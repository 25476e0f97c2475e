import { expect, it } from 'vitest'
import { parseWordsAndFlags } from './parse-words-and-flags.ts'

const parse = (...argv: readonly string[]) =>
  parseWordsAndFlags(argv, { values: ['data-dir', 'day'], switches: ['json'] })

it('takes words and flags in any order, and what stands behind -- as words', () => {
  expect(parse('a', '--json', '--day=1', 'b', '--data-dir', 'c', '--', '--d')).toEqual({
    words: ['a', 'b', '--d'],
    flags: { json: true, day: '1', 'data-dir': 'c' },
  })
  expect(parse()).toEqual({ words: [], flags: { json: false } })
  expect(parse('--day=-1', '--data-dir', '-').flags).toEqual({ json: false, day: '-1', 'data-dir': '-' })
})

it.each([
  [
    ['--data-dri', 'x'],
    'there is no flag --data-dri here. Did you mean --data-dir? It takes: --data-dir, --day, --json.',
  ],
  [['--fast'], 'there is no flag --fast here. It takes: --data-dir, --day, --json.'],
  [['-j'], 'there is no flag -j here. It takes: --data-dir, --day, --json.'],
  [['--no-json'], 'there is no flag --no-json here.'],
  [['--\u001b[31m'], 'there is no flag --\\u001b[31m here.'],
  [['--json=yes'], '--json stands alone: it takes no value'],
  [['--day', '--json'], '--day takes a value behind it; one that begins with - is written --day=--json'],
  [['--day'], /^--day takes a value behind it$/],
])('refuses in words of our own, and points at the help: %j', (argv, words) => {
  expect(() => parse(...argv)).toThrow(expect.objectContaining({ name: 'UsageError', seeHelp: true }))
  expect(() => parse(...argv)).toThrow(words)
})

it('says of a command without flags no more than that there is none such', () => {
  expect(() => parseWordsAndFlags(['--fast'], { values: [] })).toThrow(/^there is no flag --fast here\.$/)
})
