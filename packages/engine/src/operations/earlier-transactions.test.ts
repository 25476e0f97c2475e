import type { OpenReservation, StoredTransaction } from '@svc/store'
import { chains } from '@svc/wallet/core'
import type { JournalState } from '@svc/wallet/core'
import { createPublicClient, custom, encodeAbiParameters, numberToHex, pad, toEventSelector } from 'viem'
import { expect, it } from 'vitest'
import { cancelled, storedTransaction as stored, token, wallet } from '../fixtures/stored-transaction.fixture.ts'
import { earlierTransactions } from './earlier-transactions.ts'

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
