import type { JournalState } from '@svc/wallet'
import { expect, it } from 'vitest'
import { wentOut } from './went-out.ts'

it.each<[JournalState, boolean]>([
  ['signed', true],
  ['broadcast', true],
  ['mined', true],
  ['final', true],
  ['reverted', true],
  ['refused', false],
  ['superseded', false],
  ['replaced', false],
])('a transaction that is %s went out: %s', (state, expected) => {
  expect(wentOut({ state })).toBe(expected)
})
