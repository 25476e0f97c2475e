import {
  parseTransaction,
  type Hex,
  type TransactionSerializable,
  type TransactionSerializableEIP7702,
  type PublicClient,
  keccak256,
  type Address,
  type SignedAuthorization,
  type Hash,
} from 'viem'
import type { Chain } from '../chain.ts'
import type { JournalEntry, Journal, NewJournalEntry } from '../journal.ts'
import { markSent, offerEntry, type OfferContext } from './broadcast-entry.ts'
import { isNoOp, isWaiting, noOpRequest, isRefused } from './entry-state.ts'
import { feesNow, isBelow, feesOf, raisedFees, type Fees } from './fees.ts'
import type { TransactionSigner } from './sign-request.ts'

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
async function takePlace(
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

/**
 * Signs another attempt at a nonce into the journal, with fees above those before it, below the cap and within what the wallet holds. Nothing is sent.
 * Whether the nonce still waits is looked up under the lock of signatures. What replaces a private transaction is private like it.
 */
export async function signAttempt(context: AttemptContext, wanted: Wanted, rules: AttemptRules): Promise<Attempt> {
  const { wallet, client, chain, journal, inTurn } = context
  const { kind, nonce, replaces, requestId, step, reservationId, call, authorizationList } = wanted
  const [fees, balanceWei] = await Promise.all([
    rules.fees ?? feesNow(client, chain).then(({ lasting }) => lasting),
    client.getBalance({ address: wallet.address }),
  ])
  // No node keeps what the wallet could not pay for.
  const payableWei = balanceWei > call.value ? balanceWei - call.value : 0n
  const feeCapWei = await rules.feeCapWei({ kind, replaces, gasLimit: call.gas, payableWei })
  const mostWei = feeCapWei < payableWei ? feeCapWei : payableWei
  return inTurn(async () => {
    const attempts = await journal.byNonce(chain.id, wallet.address, nonce)
    const isDue = replaces === null ? attempts.every(isRefused) : attempts.findLast(isWaiting)?.hash === replaces.hash
    if (!isDue || attempts.some((other) => !isRefused(other) && !isWaiting(other))) return 'settled'
    const raised = raisedFees(attempts.map(feesOf), fees, mostWei / call.gas)
    if (raised === null) return 'capped'
    const attempt = (attempts.at(-1)?.attempt ?? -1) + 1
    await wallet.ready?.()
    // Nothing is waited for between this and the signature.
    const proposal: Proposal = { kind, nonce, attempt, replaces, gasLimit: call.gas, ...raised }
    if (!(await rules.allow(proposal))) return 'not-allowed'
    const transaction = { chainId: chain.id, nonce, ...call, ...raised }
    // An authorization says nothing of fees: the one that was signed goes along.
    const rawTransaction = await wallet.signTransaction(
      authorizationList === undefined
        ? { ...transaction, type: 'eip1559' }
        : { ...transaction, type: 'eip7702', authorizationList },
    )
    // A backend elsewhere may take seconds; bytes that are not recorded are never sent.
    if ((await rules.isStillAllowed?.(proposal)) === false) return 'not-allowed'
    const slot = { requestId, step, reservationId, chainId: chain.id, from: wallet.address, nonce, attempt }
    const submission = attempts.findLast((one) => one.submission !== undefined)?.submission
    try {
      const signed = { ...slot, rawTransaction, hash: keccak256(rawTransaction) }
      const entry = submission === undefined ? signed : { ...signed, submission }
      return await (rules.record?.(entry, proposal) ?? journal.recordSigned(entry))
    } catch (error) {
      // Another process signed at this nonce: what it signed is what goes on.
      if (error instanceof Error && 'code' in error && error.code === 'JOURNAL_CONFLICT') return 'settled'
      throw error
    }
  })
}

type AttemptContext = {
  readonly wallet: TransactionSigner
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'id' | 'ordinaryTipGwei'>
  readonly journal: Journal
  /** Runs one signature after the other. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** `fees` stand for what the chain asks where the caller knows it. */
type AttemptRules = Pick<ReplacementRules, 'feeCapWei' | 'allow' | 'isStillAllowed' | 'record'> & {
  readonly fees?: Fees
}

type Wanted = Pick<Proposal, 'kind' | 'nonce' | 'replaces'> &
  Pick<JournalEntry, 'requestId' | 'step' | 'reservationId'> & {
    readonly call: { readonly to: Address | null; readonly data: Hex; readonly value: bigint; readonly gas: bigint }
    /** Of what is signed again, where it delegates the account. */
    readonly authorizationList?: readonly SignedAuthorization[]
  }

export type Attempt = JournalEntry | 'capped' | 'not-allowed' | 'settled'

/** What the caller lets the sender sign on its own account to bring what is out to its end. */
export type ReplacementRules = {
  /**
   * Most that the gas of one transaction may cost at its worst, in wei: its limit times `maxFeePerGas`. More than `payableWei`, which the
   * wallet holds beside what is sent along, is not offered.
   */
  readonly feeCapWei: (
    wanted: Pick<Proposal, 'kind' | 'replaces' | 'gasLimit'> & { readonly payableWei: bigint },
  ) => Promise<bigint>
  /** Asked last, before each signature: the place to write it down. `false` leaves things as they are. */
  readonly allow: (proposal: Proposal) => Promise<boolean>
  /** Asked when the signature is there, before it is recorded: `false` drops it, and no one ever sends it. */
  readonly isStillAllowed?: (proposal: Proposal) => Promise<boolean>
  /** Commits what was signed in place of the journal's own `recordSigned`; `not-allowed` where that is so by now, and nothing was committed. */
  readonly record?: (entry: NewJournalEntry, proposal: Proposal) => Promise<JournalEntry | 'not-allowed'>
  /** Called when a transaction that needs higher fees keeps those it has, and why. Its bytes are sent on. */
  readonly onHeld?: (entry: JournalEntry, why: 'capped' | 'not-allowed') => void
  /**
   * Asked where the receipt of an entry cannot be had, though its nonce is used up in a settled block. With `true` the entry is left as it
   * stands, open to be read another time, and keeps no other waiting: nothing can happen at its nonce any more.
   */
  readonly onUnread?: (entry: JournalEntry, error: unknown) => boolean
  /** A transaction without a receipt for this long is held against the chain's fees; 30 s or five blocks by default. */
  readonly stuckAfterMs?: number
}

/** A signature the sender wants to make. */
export type Proposal = {
  /**
   * - raise: the same call at the same nonce with higher fees
   * - no-op: a transfer of nothing to the wallet itself, which uses a nonce up
   */
  readonly kind: 'raise' | 'no-op'
  readonly nonce: number
  readonly attempt: number
  /** The request and transaction whose place it takes; `null` for a nonce at which nothing was signed. */
  readonly replaces: { readonly requestId: string; readonly step: number; readonly hash: Hash } | null
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * What became of an attempt to replace a transaction.
 *
 * - replaced: `entry` is the new attempt, which is out
 * - capped: an eighth more would cost above the cap, or more than the wallet holds; `entry` was sent again as it stands
 * - not-allowed: the rules said no; `entry` was sent again as it stands
 * - settled: nothing at the nonce waits for a block any more
 */
export type Replacement = {
  readonly status: 'replaced' | 'capped' | 'not-allowed' | 'settled'
  readonly entry: JournalEntry
}
