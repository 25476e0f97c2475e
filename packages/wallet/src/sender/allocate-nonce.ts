import type { Address } from 'viem'
import type { Journal } from '../journal.ts'
import { isRefused, noncesOf } from './entry-state.ts'

/**
 * Chooses the nonce of the next transaction: the lowest one that neither the chain (`latestCount`) nor the journal
 * (`ownNext`, its `nextNonce`) has used. Normally that is the larger of the two counts; a nonce left free below open
 * ones (its bytes were refused) is taken first, since the open ones wait for it. What delegates the account has two nonces. `behind` means the journal holds
 * settled transactions that the chain does not count: the endpoint lags, or the chain was reset.
 */
export async function allocateNonce(
  journal: Journal,
  chainId: number,
  from: Address,
  latestCount: number,
  ownNext: number,
): Promise<{ readonly nonce: number; readonly attempt: number } | 'behind'> {
  const open = new Set((await journal.open(chainId, from)).flatMap(noncesOf))
  const next = Math.max(ownNext, latestCount, ...[...open].map((nonce) => nonce + 1))
  if (next > latestCount && open.size === 0) return 'behind'
  const lowest = Math.max(latestCount, next - widestGap)
  for (let nonce = lowest; nonce <= next; nonce += 1) {
    if (open.has(nonce)) continue
    const attempts = await journal.byNonce(chainId, from, nonce)
    if (attempts.every(isRefused)) return { nonce, attempt: attempts.length }
  }
  return { nonce: next, attempt: 0 }
}

/** How far below the newest nonce a free one is looked for. */
const widestGap = 256
