import type { PublicClient } from 'viem'
import type { JournalEntry } from '../journal.ts'
import { isNoOp, isWaiting, noOpRequest } from './entry-state.ts'
import { replaceEntry, takePlace, type ReplaceContext } from './replace-entry.ts'
import type { Replacement, ReplacementRules } from './replacement-rules.ts'
import type { AttemptRules, Wanted } from './sign-attempt.ts'

/**
 * Offers a no-op at the nonce of an entry with higher fees than its own, so that the entry is mined no more if the chain
 * takes the no-op first. Which of them it was, `confirm` and `reconcile` find out. A second call raises the no-op.
 */
export async function cancelEntry(
  context: ReplaceContext,
  given: JournalEntry,
  rules: AttemptRules & Pick<ReplacementRules, 'onHeld'>,
): Promise<Replacement> {
  const attempts = await context.journal.byNonce(given.chainId, given.from, given.nonce)
  const newest = attempts.findLast(isWaiting)
  if (newest === undefined) return { status: 'settled', entry: attempts.at(-1) ?? given }
  if (isNoOp(newest)) return replaceEntry(context, newest, rules)
  return takePlace(context, newest, await noOpAt(context, given.nonce), rules)
}

/** A transfer of nothing to the wallet itself, recorded under a request of its own, with no reservation. */
export async function noOpAt(
  { wallet, client, chain }: Pick<ReplaceContext, 'wallet' | 'client' | 'chain'>,
  nonce: number,
): Promise<Omit<Wanted, 'replaces'>> {
  const { address } = wallet
  const gas = await gasOfNothing(client, address)
  const call = { to: address, data: '0x', value: 0n, gas } as const
  return {
    kind: 'no-op',
    nonce,
    requestId: noOpRequest(chain.id, address, nonce),
    step: 0,
    reservationId: null,
    call,
  }
}

/** The intrinsic gas of a transfer is 21000; roll-ups add their parent's, and code of a delegated account its own. */
async function gasOfNothing(client: PublicClient, account: `0x${string}`): Promise<bigint> {
  const estimate = await client.estimateGas({ account, to: account, value: 0n })
  return (estimate * 5n) / 4n
}
