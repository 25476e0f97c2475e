import type { PayTerm } from './pay-claim.ts'

/**
 * Offers the stored bytes again of what the chain had mined and confirmed and does not count any more: its blocks were
 * undone. Until they are mined again the grants in them are lost and every later nonce waits. Rejects when the endpoint
 * or the store does not answer.
 */
export async function sendUndone({ chain, client, account, store, log }: PayTerm): Promise<void> {
  const { address } = account
  const next = await store.journal.nextNonce(chain.id, address)
  if (next === null) return
  const count = await client.getTransactionCount({ address, blockTag: 'latest' })
  for (let nonce = count; nonce < Math.min(next, count + mostAtOnce); nonce += 1) {
    const attempts = await store.journal.byNonce(chain.id, address, nonce)
    const undone = attempts.find(({ state }) => state === 'final' || state === 'reverted')
    if (undone === undefined) continue
    // An endpoint that lags answers that it has them, or that their nonce is used.
    const isTaken = await client.sendRawTransaction({ serializedTransaction: undone.rawTransaction }).then(
      () => true,
      () => false,
    )
    if (isTaken) log.warn('faucet.undone', { chainId: chain.id, claimId: undone.requestId, hash: undone.hash })
  }
}

const mostAtOnce = 64
