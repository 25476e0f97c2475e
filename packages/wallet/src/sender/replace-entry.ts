import { parseTransaction, type Hex, type TransactionSerializable, type TransactionSerializableEIP7702 } from 'viem'
import type { Chain } from '../chain.ts'
import type { JournalEntry } from '../journal.ts'
import { markSent } from './broadcast-entry.ts'
import { isNoOp, isWaiting } from './entry-state.ts'
import { feesNow, isBelow } from './fees-now.ts'
import { offerEntry, type OfferContext } from './offer-entry.ts'
import type { Replacement, ReplacementRules } from './replacement-rules.ts'
import { signAttempt, type AttemptContext, type AttemptRules, type Wanted } from './sign-attempt.ts'

/**
 * Signs what waits at the nonce of an entry once more with higher fees and sends it: the same call, value and
 * reservation, of which the chain mines one. After a cancellation that is the no-op. Where nothing may be signed, the
 * stored bytes are sent again. Rejects when the endpoint or the journal does not answer.
 */
export async function replaceEntry(
  context: ReplaceContext,
  given: JournalEntry,
  rules: AttemptRules & Pick<ReplacementRules, 'onHeld'>,
): Promise<Replacement> {
  const attempts = await context.journal.byNonce(given.chainId, given.from, given.nonce)
  const newest = attempts.findLast(isWaiting)
  if (newest === undefined) return { status: 'settled', entry: attempts.at(-1) ?? given }
  return takePlace(context, newest, { ...slotOf(newest), ...wantedAgain(newest) }, rules)
}

/** Signs an attempt in the place of another and sends it; sends the other again where nothing may be signed. */
export async function takePlace(
  context: ReplaceContext,
  newest: JournalEntry,
  wanted: Omit<Wanted, 'nonce' | 'replaces'>,
  rules: AttemptRules & Pick<ReplacementRules, 'onHeld'>,
): Promise<Replacement> {
  const { requestId, step, hash, nonce } = newest
  const attempt = await signAttempt(context, { ...wanted, nonce, replaces: { requestId, step, hash } }, rules)
  if (typeof attempt === 'object') return { status: 'replaced', entry: await send(context, attempt) }
  if (attempt !== 'settled') {
    rules.onHeld?.(newest, attempt)
    return { status: attempt, entry: await send(context, newest) }
  }
  return { status: attempt, entry: (await context.journal.byHash(hash)) ?? newest }
}

export type ReplaceContext = AttemptContext & OfferContext

/** Offers the bytes once. Whatever the answer, another attempt at the nonce may be out, so this one stays open. */
async function send(context: ReplaceContext, entry: JournalEntry): Promise<JournalEntry> {
  const answer = await offerEntry(context, entry)
  return answer === 'wait' ? entry : markSent(context.journal, entry, 'broadcast')
}

function slotOf({ requestId, step, reservationId }: JournalEntry) {
  return { requestId, step, reservationId }
}

function wantedAgain(entry: JournalEntry): Pick<Wanted, 'kind' | 'call' | 'authorizationList'> {
  const { to = null, data = '0x', value = 0n, gas, authorizationList } = parseOwn(entry.rawTransaction)
  if (gas === undefined) throw new TypeError('The journal holds a transaction without a gas limit.')
  const call = { to, data, value, gas }
  return {
    kind: isNoOp(entry) ? 'no-op' : 'raise',
    call,
    ...(authorizationList === undefined ? {} : { authorizationList }),
  }
}

function parseOwn(rawTransaction: Hex): Own {
  const transaction = parseTransaction(rawTransaction)
  if (transaction.type === 'eip1559' || transaction.type === 'eip7702') return transaction
  throw new TypeError('The journal holds a transaction that is of neither type 2 nor type 4.')
}

type Own = Pick<TransactionSerializable, 'data' | 'value' | 'gas'> & {
  readonly to?: TransactionSerializable['to']
  readonly authorizationList?: TransactionSerializableEIP7702['authorizationList'] | undefined
}

/**
 * Raises the fees at the nonce of an entry that waits, when it offers less than the chain asks. The caller says when it
 * has waited long enough. Gives what waits at the nonce now. Rejects when the endpoint or the journal does not answer.
 */
export async function raiseIfStuck(
  context: ReplaceContext,
  entry: JournalEntry,
  rules: ReplacementRules,
): Promise<JournalEntry> {
  const now = await feesNow(context.client, context.chain)
  if (!isBelow(entry, now)) return entry
  return (await replaceEntry(context, entry, { ...rules, fees: now.lasting })).entry
}

/** How long a transaction waits before its fees are held against the chain's, in milliseconds. */
export function stuckAfter(rules: ReplacementRules, chain: Pick<Chain, 'blockTimeSeconds'>): number {
  return rules.stuckAfterMs ?? Math.max(30_000, chain.blockTimeSeconds * 5_000)
}
