import type { StoredTransaction } from '@svc/store'
import { createPublicClient, custom } from 'viem'
import { expect, it } from 'vitest'
import { minedInsteadOf } from './replacing.ts'
import { cancelled, storedTransaction as stored } from '../fixtures/stored-transaction.fixture.ts'

const original = stored('replaced', { asked: cancelled() })
const noOp = stored('broadcast', { requestId: 'no-op:1:0x11:0', attempt: 1 })

it.each<[string, readonly StoredTransaction[], { readonly noOp: string | null } | null]>([
  ['that is known to be mined', [original, { ...noOp, state: 'final' }], { noOp: noOp.hash }],
  ['that nobody saw mined', [original, noOp], { noOp: null }],
  ['that nobody asked for', [{ ...original, asked: null }, noOp], null],
  ['that was never signed', [original], null],
])('names an empty transfer %s as far as it is known', async (_what, attempts, expected) => {
  const away = custom({ request: () => Promise.reject(new Error('away')) }, { retryCount: 0 })
  const engine = { transactions: { byNonce: async () => attempts } }
  const client = createPublicClient({ transport: away })
  expect(await minedInsteadOf({ engine, client }, original)).toEqual(expected)
})
