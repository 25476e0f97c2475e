import type { StoredTransaction, Operation } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { cancelled, storedTransaction as stored } from '../fixtures/stored-transaction.fixture.ts'
import { isInDoubt, isProvedDead, isRevoked, mayBeMined, endInterrupted } from './may-be-mined.ts'

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
  expect(mayBeMined({ state })).toBe(expected)
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
  const entries = states.map((state, nonce) => stored(state, { nonce }))
  expect([isInDoubt(entries), isProvedDead(entries)]).toEqual([doubt, dead])
})

const approval = stored('final', { approves: 5n })
const revokedAt1 = stored('final', { nonce: 1, attempt: 1, step: 2, approves: 0n })

it.each<[string, readonly StoredTransaction[], boolean, boolean]>([
  ['an approval alone', [approval], false, false],
  [
    'an approval whose fees were raised',
    [stored('replaced', { approves: 5n }), { ...approval, attempt: 1 }],
    false,
    false,
  ],
  ['an approval before declined bytes', [approval, stored('refused', { nonce: 1 })], true, false],
  [
    'the same with the take-back out',
    [approval, stored('refused', { nonce: 1 }), { ...revokedAt1, state: 'broadcast' }],
    true,
    false,
  ],
  ['the same once something took the nonce', [approval, stored('superseded', { nonce: 1 })], false, true],
  ['the same once the take-back did', [approval, stored('replaced', { nonce: 1 }), revokedAt1], false, true],
  [
    'a take-back that is not mined',
    [approval, stored('replaced', { nonce: 1 }), { ...revokedAt1, state: 'broadcast' }],
    false,
    false,
  ],
  ['a call that the operator took back', [stored('superseded', { asked: cancelled() })], false, false],
])('with %s', (_what, entries, doubt, dead) => {
  expect([isInDoubt(entries), isProvedDead(entries)]).toEqual([doubt, dead])
})

it('a step is taken back when the operator asked so of any of its attempts and none was mined', () => {
  const asked = stored('replaced', { asked: cancelled() })
  expect(isRevoked([asked, stored('replaced', { attempt: 1 })])).toBe(true)
  expect(isRevoked([asked, stored('reverted', { attempt: 1 })])).toBe(false)
  expect(isRevoked([stored('replaced')])).toBe(false)
})

const taken = stored('replaced', { nonce: 1, asked: cancelled('cancelled') })

it.each<[string, readonly StoredTransaction[], string | null]>([
  ['signed nothing', [], null],
  ['signed what is never mined', [stored('superseded')], null],
  ['signed what may be mined', [stored('broadcast')], 'OPERATION_INCOMPLETE'],
  ['signed what the operator took back', [taken], 'CANCELLED_BY_OPERATOR'],
  ['raised fees before that', [taken, stored('replaced', { nonce: 1, attempt: 1 })], 'CANCELLED_BY_OPERATOR'],
  ['had an approval mined before that', [stored('final', { approves: 5n }), taken], 'CANCELLED_BY_OPERATOR'],
  ['had a call mined before that', [stored('final'), taken], 'OPERATION_INCOMPLETE'],
  ['was cancelled too late', [{ ...taken, state: 'reverted' }], 'OPERATION_INCOMPLETE'],
])('an operation cut off that %s', async (_what, entries, code) => {
  const operation = { id: 'o', requestId: 'r' } as Operation
  const ends: { readonly code: string }[] = []
  const givenBack: string[] = []
  const end = await endInterrupted({
    operations: {
      interrupted: async () => [operation],
      giveBack: async (id) => {
        givenBack.push(id)
        return operation
      },
      finish: async (_id, { answer }) => {
        ends.push(JSON.parse(answer) as { code: string })
        return operation
      },
    },
    transactions: { byRequest: async () => entries },
    log: { warn: () => {} },
  })
  expect([ends.map((one) => one.code), givenBack]).toEqual(code === null ? [[], ['o']] : [[code], []])
  expect(end).toEqual(code === null ? { givenBack: ['o'], ended: [] } : { givenBack: [], ended: ['o'] })
})
