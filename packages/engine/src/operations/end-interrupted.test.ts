import type { Operation, StoredTransaction } from '@svc/store'
import { expect, it } from 'vitest'
import { endInterrupted } from './end-interrupted.ts'
import { cancelled, storedTransaction as stored } from '../fixtures/stored-transaction.fixture.ts'

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
