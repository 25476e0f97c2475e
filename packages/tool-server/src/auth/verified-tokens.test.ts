import { expect, test } from 'vitest'
import { createVerifiedTokens } from './token-stage.ts'

test('a token is known until its time is over, to the millisecond', () => {
  const clock = { ms: 0 }
  const tokens = createVerifiedTokens<{ readonly expiresAt: number }>(() => clock.ms)
  tokens.keep('one', { expiresAt: 1_000 })
  clock.ms = 999
  expect([tokens.find('one'), tokens.find('another')]).toEqual([{ expiresAt: 1_000 }, null])
  clock.ms = 1_000
  expect([tokens.find('one'), tokens.size()]).toEqual([null, 0])
})

test('those whose time is over go as others come, though nobody asks for them again', () => {
  const clock = { ms: 0 }
  const tokens = createVerifiedTokens<{ readonly expiresAt: number }>(() => clock.ms)
  for (let index = 0; index < 5_000; index += 1) {
    clock.ms = index
    tokens.keep(`${index}`, { expiresAt: index + 900 })
  }
  expect(tokens.size()).toBe(900)
})

test('of too many the one that was used longest ago is forgotten', () => {
  const tokens = createVerifiedTokens<{ readonly expiresAt: number }>(() => 0, 2)
  const known = { expiresAt: 1 }
  tokens.keep('first', known)
  tokens.keep('second', known)
  tokens.find('first')
  tokens.keep('third', known)
  expect(['first', 'second', 'third'].map((token) => tokens.find(token))).toEqual([known, null, known])
})
