import type { StoredOrder, StoredTransaction, OpenReservation } from '@svc/store'
import { chains, type JournalState } from '@svc/wallet/core'
import { createPublicClient, custom, numberToHex, encodeAbiParameters, pad, toEventSelector } from 'viem'
import { expect, it } from 'vitest'
import { sentTransactions, type SentWorld, earlierTransactions } from './sent-transactions.ts'
import { cancelled, storedTransaction as stored, token, wallet } from '../fixtures/stored-transaction.fixture.ts'

it('names what went out or may, with how it stands, and leaves out what never will be mined', async () => {
  const states: JournalState[] = ['final', 'reverted', 'broadcast', 'signed', 'refused', 'superseded', 'replaced']
  const entries = states.map((state, nonce) => stored(state, { nonce }))
  const { details, end } = await sentTransactions(worldOf(entries, null), 'r')
  expect(end).toBeNull()
  expect(details).toEqual([
    { message: 'mined', txHash: entries[0]?.hash },
    { message: 'mined and reverted', txHash: entries[1]?.hash },
    { message: 'not confirmed', txHash: entries[2]?.hash },
    { message: 'not confirmed', txHash: entries[3]?.hash },
    { message: 'declined by the endpoint, which may have passed it on all the same', txHash: entries[4]?.hash },
  ])
})

it('names the order that a request signed, and never says that it is safe to ask for another', async () => {
  const order = { operationId: 'op', orderId: '0x01' } as StoredOrder
  const approval = stored('final', { approves: 5n })
  const { details, end } = await sentTransactions(worldOf([approval], 0n, [order]), 'r')
  expect(details).toContainEqual({ message: 'order signed', operationId: 'op', orderId: '0x01' })
  expect(end?.suggestion).toContain('do not ask for it again')
  const early = await sentTransactions(worldOf([stored('broadcast')], null, [order]), 'r')
  expect(early).toMatchObject({ end: null, details: [{ txHash: expect.anything() }, { operationId: 'op' }] })
})

it.each<[string, readonly StoredTransaction[], bigint | null, boolean, boolean]>([
  ['a call', [stored('final')], 0n, true, false],
  ['an approval whose allowance stands', [stored('final', { approves: 5n })], 5n, true, false],
  ['an approval whose allowance cannot be read', [stored('final', { approves: 5n })], null, true, false],
  ['an approval that was taken back elsewhere', [stored('final', { approves: 5n })], 0n, false, false],
  [
    'an approval that was taken back',
    [stored('final', { approves: 5n }), stored('replaced', { nonce: 1 }), stored('final', { nonce: 2, approves: 0n })],
    5n,
    false,
    false,
  ],
  [
    'a call whose approval it used up',
    [stored('final', { approves: 5n }), stored('final', { nonce: 1, step: 1 })],
    0n,
    true,
    false,
  ],
  ['the end of an allowance', [stored('final', { approves: 0n })], 0n, true, false],
  ['a call the operator cancelled', [stored('replaced', { asked: cancelled() })], 0n, false, true],
  [
    'one whose fees were raised after it was named',
    [stored('replaced', { asked: cancelled() }), stored('replaced', { attempt: 1, step: 0 })],
    0n,
    false,
    true,
  ],
  ['a cancellation that came too late', [stored('reverted', { asked: cancelled() })], 0n, false, false],
  [
    'one that came too late for the raised attempt',
    [stored('replaced', { asked: cancelled() }), stored('reverted', { attempt: 1 })],
    0n,
    false,
    false,
  ],
  [
    'a cancelled call whose approval is not taken back yet',
    [stored('final', { approves: 5n }), stored('replaced', { nonce: 1, asked: cancelled() })],
    5n,
    false,
    true,
  ],
])(
  'of %s, tells whether it happened and whether the operator took it back',
  async (_what, entries, allowance, did, back) => {
    const { end } = await sentTransactions(worldOf(entries, allowance), 'r')
    expect(end?.isCancelled).toBe(back)
    expect(end?.message).toContain(did ? '1 of 1 transactions did' : 'nothing of what it was for has happened')
    expect(end?.suggestion).toContain(did ? 'do not ask for it again' : 'safe to call again')
  },
)

it('names declined bytes beside the end of their approval that took their nonce', async () => {
  const approval = stored('final', { approves: 5n })
  const declined = stored('replaced', { nonce: 1 })
  const end = stored('final', { nonce: 1, attempt: 1, step: 2, approves: 0n })
  const { details } = await sentTransactions(worldOf([approval, declined, end], 0n), 'r')
  expect(details.slice(0, 3)).toMatchObject([
    { txHash: approval.hash, message: 'mined' },
    { txHash: declined.hash, minedInstead: end.hash },
    { txHash: end.hash, message: 'mined' },
  ])
})

/** A chain on which that much is allowed, or that does not answer; it knows no receipts. */
function worldOf(
  entries: readonly StoredTransaction[],
  allowance: bigint | null,
  ordered: readonly StoredOrder[] = [],
): SentWorld {
  const request = async ({ method }: { method: string }) => {
    if (method === 'eth_call' && allowance !== null) return numberToHex(allowance, { size: 32 })
    throw new Error('away')
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  return {
    transactions: {
      byRequest: async () => entries,
      byNonce: async (_chain, _from, nonce) => entries.filter((one) => one.nonce === nonce),
    },
    signedOrders: { byRequest: async () => ordered },
    chains: { list: () => chains },
    rpc: { client: () => client },
    tokens: { byAddress: () => Promise.reject(new Error('not asked')) },
  }
}

const chain = { ...chains[0]!, id: 1 }
const transferred = [toEventSelector('Transfer(address,address,uint256)'), pad(token), pad(wallet)]

/** An endpoint whose every receipt says that 7 of the token came and 21,000 gas were burnt at 2 wei. */
const client = createPublicClient({
  transport: custom({
    request: async ({ method, params }: { method: string; params: readonly unknown[] }) => {
      if (method === 'eth_getBalance') return numberToHex(params[1] === '0x4' ? 1_000_000 : 1_000_000 - 42_000 + 5)
      const log = { address: token, topics: transferred, data: encodeAbiParameters([{ type: 'uint256' }], [7n]) }
      return {
        status: '0x1',
        blockNumber: '0x5',
        logs: [log],
        gasUsed: '0x5208',
        effectiveGasPrice: '0x2',
        type: '0x2',
      }
    },
  }),
})

function read(entries: readonly StoredTransaction[], after = entries, leftOpen = false) {
  let looked = false
  const reservation = { requestId: 'r' } as OpenReservation
  const world = {
    ledger: { open: async () => (leftOpen && !looked ? [reservation] : []) },
    transactions: { byRequest: async () => (looked ? after : entries) },
    rpc: { client: () => client },
    lookAgain: async () => void (looked = true),
  }
  return earlierTransactions(world, 'r', chain)
}

it('says what mined transactions did, native currency by the balance without its gas, and leaves out what is never mined', async () => {
  const found = await read([stored('final'), stored('superseded', { nonce: 1 })])
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({ blockNumber: 5n, gasCostWei: 42_000n, gasUsed: 21_000n })
  expect(found[0]?.deltas.map(({ token: of, amount }) => [of.toLowerCase(), amount])).toEqual([
    [token, 7n],
    ['0x0000000000000000000000000000000000000000', 5n],
  ])
})

it.each<JournalState>(['signed', 'broadcast', 'mined', 'refused'])(
  'is not told while a transaction is %s, unless a look at the chain ends it',
  async (state) => {
    await expect(read([stored(state)])).rejects.toMatchObject({ code: 'WALLET_BUSY', retryable: true })
    expect(await read([stored(state)], [stored('final')])).toHaveLength(1)
  },
)

it('has what the request left in the ledger counted first', async () => {
  const entries = [stored('final')]
  expect(await read(entries, entries, true)).toHaveLength(1)
  const world = {
    transactions: { byRequest: async () => entries },
    ledger: { open: async () => [{ requestId: 'r' } as OpenReservation] },
    rpc: { client: () => client },
    lookAgain: () => Promise.reject(new Error('the endpoint is down')),
  }
  await expect(earlierTransactions(world, 'r', chain)).rejects.toMatchObject({ code: 'WALLET_BUSY' })
})

it('does not go on with what the operator took back', async () => {
  const taken = stored('replaced', { asked: cancelled('cancelled') })
  await expect(read([taken])).rejects.toMatchObject({ code: 'CANCELLED_BY_OPERATOR' })
})
