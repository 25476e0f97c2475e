import type { StoredTransaction } from '@svc/store'
import type { JournalState } from '@svc/wallet'
import { expect, it } from 'vitest'
import { sentTransactions } from './sent-transactions.ts'

it('names what went out or may, with how it stands, and leaves out what never will be mined', async () => {
  const states: JournalState[] = ['final', 'reverted', 'broadcast', 'signed', 'refused', 'superseded', 'replaced']
  const entries = states.map((state, nonce) => entryOf(state, nonce))
  const unread = () => {
    throw new Error('nothing is read while anything is open')
  }
  const transactions = { byRequest: async () => entries, byNonce: unread }
  const world = { transactions, chains: { list: unread }, rpc: { client: unread }, tokens: { byAddress: unread } }
  const { details, end } = await sentTransactions(world, 'r')
  expect(end).toBeNull()
  expect(details).toEqual([
    { message: 'mined', txHash: '0x0' },
    { message: 'mined and reverted', txHash: '0x1' },
    { message: 'not confirmed', txHash: '0x2' },
    { message: 'not confirmed', txHash: '0x3' },
    { message: 'declined by the endpoint, which may have passed it on all the same', txHash: '0x4' },
  ])
})

function entryOf(state: JournalState, nonce: number): StoredTransaction {
  const from = '0x0000000000000000000000000000000000000001'
  const place = { requestId: 'r', step: 0, chainId: 1, from, nonce, attempt: 0 } as const
  return { ...place, rawTransaction: '0x', hash: `0x${nonce}`, reservationId: null, state, signedAt: 0, asked: null }
}
