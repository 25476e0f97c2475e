import type { JournalEntry } from '@svc/wallet/core'
import { receiptStatus, type PayTerm } from './pay-claim.ts'
import { tellOnce } from '../remembered.ts'

/**
 * Sees to what the chain had mined and confirmed and does not count any more, because its blocks were undone: every later
 * nonce waits for it. A grant's stored bytes are offered again. A payment that had reverted is not, for it might succeed
 * beside a later one of the same claim: its nonce is given free. Rejects when the endpoint or the store does not answer.
 */
export async function sendUndone(term: PayTerm): Promise<void> {
  const { chain, client, account, store, log } = term
  const { address } = account
  const next = await store.journal.nextNonce(chain.id, address)
  if (next === null) return
  const count = await client.getTransactionCount({ address, blockTag: 'latest' })
  for (let nonce = count; nonce < Math.min(next, count + mostAtOnce); nonce += 1) {
    const attempts = await store.journal.byNonce(chain.id, address, nonce)
    const undone = attempts.find(({ state }) => state === 'final' || state === 'reverted')
    if (undone === undefined) continue
    const facts = { chainId: chain.id, claimId: undone.requestId, hash: undone.hash }
    if (undone.state === 'reverted') {
      if (await giveFree(term, attempts, undone)) log.warn('faucet.undone', { ...facts, isSentAgain: false })
      continue
    }
    // An endpoint that lags answers that it has them, or that their nonce is used.
    await client.sendRawTransaction({ serializedTransaction: undone.rawTransaction }).then(
      () => log.warn('faucet.undone', { ...facts, isSentAgain: true }),
      (error: unknown) =>
        tellOnce(term, undone.hash, () => log.warn('faucet.undone-declined', { ...facts, err: error })),
    )
  }
}

const mostAtOnce = 64

/** What uses the nonce up next settles the bytes. False for an endpoint that lags: it still has the receipt. */
async function giveFree(
  { client, store }: PayTerm,
  attempts: readonly JournalEntry[],
  reverted: JournalEntry,
): Promise<boolean> {
  if ((await receiptStatus(client, reverted)) !== null) return false
  const replaced = attempts.filter(({ state }) => state === 'replaced')
  // The one that is looked for comes last, so that who is killed in between leaves the work to the next.
  for (const { hash } of [...replaced, reverted]) await store.journal.mark(hash, 'refused')
  return true
}
