import type { JournalState } from '@svc/wallet'
import { expect, it } from 'vitest'
import { isInDoubt, isProvedDead, wentOut } from './went-out.ts'

it.each<[JournalState, boolean]>([
  ['signed', true],
  ['broadcast', true],
  ['mined', true],
  ['final', true],
  ['reverted', true],
  ['refused', true],
  ['superseded', false],
  ['replaced', false],
])('a transaction that is %s may have an effect: %s', (state, expected) => {
  expect(wentOut({ state })).toBe(expected)
})

it.each<[readonly JournalState[], boolean, boolean]>([
  [[], false, false],
  [['refused'], true, false],
  [['replaced', 'refused'], true, false],
  [['final', 'refused'], false, false],
  [['broadcast', 'refused'], false, false],
  [['replaced', 'superseded'], false, true],
  [['final', 'superseded'], false, false],
])('a request whose transactions are %j is in doubt: %s; proved dead: %s', (states, doubt, dead) => {
  const entries = states.map((state) => ({ state }))
  expect([isInDoubt(entries), isProvedDead(entries)]).toEqual([doubt, dead])
})
