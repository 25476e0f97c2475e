import { type PendingRevocation, StoreError } from '@svc/store'
import { type JournalEntry, type NewJournalEntry, WalletError } from '@svc/wallet/core'
import type { Address, Hash, TransactionReceipt } from 'viem'
import { ToolError } from '@svc/amm'
import { receiptOf, gasLimitFor } from '../spending/gas.ts'
import { callFacts, paramsHash } from '../audit/call-outcomes.ts'
import type { FailureKind } from '../switches/circuit-breaker.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { minedInsteadOf, replacementRules } from './replacing.ts'
import { noteOutcome, noteSubmitted, selectorOf } from './note-transaction.ts'
import { minedRevertReason } from '../simulation/revert-reason.ts'
import { throwFirst, onStorage, refusedByStore } from '../call/refusal.ts'
import { requireRunning, requireUnpaused } from '../switches/signing-state.ts'
import type { Step } from '../call/step.ts'
import type { CallValue } from '../value/call-value.ts'
import type { Fees } from '../call/chain-snapshot.ts'

/**
 * Signs one step: first a line in the audit log, on disk, then nonce, bytes, hash and what will be owed in one commit of the journal. Kill
 * switch and breaker are looked up last of all, when the sender has nothing left to wait for. Nothing has left the process
 * when it resolves.
 */
export async function sign(context: ExecutionContext, step: Step, terms: Terms): Promise<JournalEntry> {
  const { call, chain, sender } = context
  const { owed = [] } = terms
  // Written while the sender reads what it has to know, and waited for before anything is allowed.
  const ready = noteIntent(context, step, terms)
  ready.catch(() => undefined)
  try {
    const entry = await sender.sign({
      requestId: call.requestId,
      step: context.nextStep(),
      to: step.to,
      data: step.data,
      valueWei: step.valueWei,
      gasLimit: gasLimitFor(terms.gasUsed),
      maxFeePerGas: terms.fees.maxFeePerGas,
      maxPriorityFeePerGas: terms.fees.maxPriorityFeePerGas,
      reservationId: terms.reservationId,
      allow: async () => {
        await ready
        await requireAllowed(context, step, terms)
      },
      ...(terms.latestCount === undefined ? {} : { latestCount: terms.latestCount }),
      ...(terms.delegateTo === undefined ? {} : { delegateTo: terms.delegateTo }),
      ...(terms.isPrivate === true ? { isPrivate: true } : {}),
      ...recordOf(context, owed),
    })
    await ready
    return entry
  } catch (error) {
    await ready
    throw signingError(error, chain.name)
  }
}

/** Where servers share a database a pause of any of them is looked up in the very commit. */
function recordOf({ engine }: ExecutionContext, owed: readonly PendingRevocation[]) {
  const unlessPaused = engine.sharedSwitches !== undefined
  if (owed.length === 0 && !unlessPaused) return {}
  return { record: (entry: NewJournalEntry) => engine.journal.recordSigned(entry, owed, { unlessPaused }) }
}

/** Taking an allowance back ends what is out: a pause stops it, an open breaker does not. */
export async function requireAllowed(
  { engine }: ExecutionContext,
  { kind }: Step,
  { isWayHome = false }: Terms,
): Promise<void> {
  const { refusals } = await (kind === 'revoke' ? requireUnpaused(engine) : requireRunning(engine, () => isWayHome))
  throwFirst(refusals)
}

export type Terms = {
  /** Of the simulation, after refunds. */
  readonly gasUsed: bigint
  readonly fees: Fees
  /** How many transactions of the wallet are mined, where a snapshot of the chain has just read; else it is read. */
  readonly latestCount?: number
  /** What the wallet is delegated to with this transaction (EIP-7702). */
  readonly delegateTo?: Address
  /** `null` for transactions that spend nothing, such as taking an allowance back. */
  readonly reservationId: string | null
  /** It goes to the private endpoint of the chain alone. */
  readonly isPrivate?: boolean
  /** It is a step of what only brings funds home, to the wallet alone, which some breakers let pass. */
  readonly isWayHome?: boolean
  /** What will have to be revoked: in the commit that keeps the signature, so that no approval can be sent without it. */
  readonly owed?: readonly PendingRevocation[]
  /** For the audit line. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** Sends the stored bytes. Throws `OPERATION_IN_DOUBT` when the endpoint declined them: it may have passed them on. */
export async function broadcast(context: ExecutionContext, step: Step, entry: JournalEntry): Promise<JournalEntry> {
  const { sender } = context
  const sent = await onStorage('the journal cannot be written', () => sender.broadcast(entry))
  noteSubmitted(context, step, sent)
  if (sent.state === 'refused') {
    await countFailure(context, sent, 'other')
    throw declined(sent, sent.refusal)
  }
  return sent
}

/**
 * Waits until a transaction, or the same call signed again with higher fees, is mined with the chain's confirmations;
 * the receipt names the one that was. Throws `TRANSACTION_REVERTED` (counted by the breaker, but for what only brings funds home: a
 * stranger can push a pool past its minimums for the fees, and must not lock the funds in by that), `CANCELLED_BY_OPERATOR`
 * and `TRANSACTION_NOT_SENT` when it will never be mined, or `TRANSACTION_PENDING` when time is up.
 */
export async function confirm(
  context: ExecutionContext & { readonly value?: Pick<CallValue, 'isExit'> },
  step: Step,
  sent: JournalEntry,
  beside?: () => Promise<void>,
): Promise<TransactionReceipt> {
  const { engine, sender } = context
  const replacing = replacementRules(context)
  const signal = engine.term?.() ?? null
  const along = { ...(beside !== undefined && { beside }), ...(signal !== null && { signal }) }
  const confirmation = await sender.confirm(sent, { timeoutMs: engine.confirmTimeoutMs, replacing, ...along })
  const { hash: txHash } = confirmation.entry
  noteOutcome(context, step, confirmation)
  if (confirmation.status === 'final') {
    return receiptOf(confirmation.entry, confirmation.receipt, context.chain)
  }
  if (confirmation.status === 'reverted') {
    if (context.value?.isExit !== true) await countFailure(context, confirmation.entry, 'reverted')
    const reason = await minedRevertReason(context, step, confirmation.receipt)
    throw new ToolError('TRANSACTION_REVERTED', `"${step.label}" was mined and ${reason}.`, {
      details: [{ message: reason, step: step.label, txHash }],
      ...(context.value?.isExit === true && { suggestion: pushedPool }),
    })
  }
  if (confirmation.status !== 'pending') {
    const cancelled = await minedInsteadOf(context, confirmation.entry)
    if (cancelled !== null) throw revoked(sent, cancelled.noOp)
    await countFailure(context, sent, 'other')
    throw notSent(sent, 'Another transaction took the place of this one.')
  }
  const isPrivate = confirmation.entry.submission === 'private'
  const where = isPrivate
    ? 'was given to the private endpoint alone and is not mined yet'
    : 'is out and not confirmed yet'
  throw new ToolError('TRANSACTION_PENDING', `"${step.label}" ${where}.`, {
    details: [{ message: 'not confirmed', step: step.label, txHash, ...(isPrivate ? { submission: 'private' } : {}) }],
  })
}

const pushedPool =
  'Only the fee was spent. If somebody pushes the pool past the minimums again and again, remove_liquidity with slippageBps 10000 asks for none: a position is worth the least where nobody pushes its pool.'

/** The line in the audit log that goes before each signature. Throws `STORAGE_UNAVAILABLE`. */
export function noteIntent(context: ExecutionContext, step: Step, { facts }: Pick<Terms, 'facts'>): Promise<void> {
  const { engine, call, chain } = context
  const { kind, label } = step
  engine.log.info('tx.intent', { requestId: call.requestId, tool: call.tool, chainId: chain.id, kind, step: label })
  return onStorage('the audit log cannot be written', () =>
    engine.audit.append({
      event: 'tx.intent',
      ...factsOf(context, step),
      paramsHash: paramsHash(call.input),
      policyHash: engine.policyHash,
      decision: { verdict: 'allow', rule: null },
      ...facts,
    }),
  )
}

export function factsOf({ call, chain, wallet, reservationId }: ExecutionContext, step: Step) {
  const { kind, label, to, data, valueWei, batch } = step
  const calls = batch?.calls.map((call) => ({
    to: call.to,
    selector: selectorOf(call.data),
    valueWei: call.valueWei,
    kind: call.kind,
    label: call.label,
  }))
  const made = batch === undefined ? {} : { delegate: batch.delegate, calls }
  const transaction = {
    chainId: chain.id,
    from: wallet,
    to,
    selector: selectorOf(data),
    valueWei,
    kind,
    label,
    ...made,
  }
  return { ...callFacts(call), transaction, reservationId }
}

/** A failure that cannot be counted is logged; it must not hide from the caller what happened on the chain. */
export async function countFailure(
  { engine, call }: ExecutionContext,
  { hash }: JournalEntry,
  kind: FailureKind,
): Promise<void> {
  try {
    const opened = await engine.breaker.recordFailure(`the last is ${hash}`, kind)
    if (opened) await engine.switches.look()
  } catch (error) {
    engine.log.error('breaker.uncounted', { requestId: call.requestId, hash, error })
  }
}

export function notSent({ hash }: JournalEntry, message: string): ToolError {
  return new ToolError('TRANSACTION_NOT_SENT', message, { details: [{ message, txHash: hash }] })
}

/** The operator's word is no failure: the breaker does not count it. */
function revoked({ hash, nonce }: JournalEntry, noOp: Hash | null): ToolError {
  const message = 'The operator cancelled the transaction; an empty transfer was mined in its place.'
  return new ToolError('CANCELLED_BY_OPERATOR', message, {
    details: [
      { message: 'cancelled, and never mined', txHash: hash, nonce, ...(noOp === null ? {} : { minedInstead: noOp }) },
    ],
  })
}

/** An endpoint may forward what it declines, so this must not be done again until another transaction took the nonce. */
function declined({ hash, nonce }: JournalEntry, cause: unknown): ToolError {
  const message = 'The endpoint declined the transaction, but may have passed it on all the same.'
  return new ToolError('OPERATION_IN_DOUBT', message, {
    cause,
    details: [{ message: 'declined by the endpoint', txHash: hash, nonce }],
    suggestion:
      'With an idempotencyKey the same call may be repeated: it runs once it is proved that this transaction is never mined. Without one, look it up with get_transaction_status before anything else.',
  })
}

export function signingError(error: unknown, chainName: string): ToolError {
  if (error instanceof ToolError) return error
  const cause = error
  const refusal = refusedByStore(error)
  if (refusal !== null) return refusal
  if (error instanceof StoreError && error.code === 'STORE_IN_DOUBT') {
    const message = 'The state store went away while the transaction was signed into it. If it was, it will be sent.'
    return new ToolError('OPERATION_IN_DOUBT', message, { cause })
  }
  if (!(error instanceof WalletError)) {
    return new ToolError('STORAGE_UNAVAILABLE', 'The transaction could not be signed into the journal.', { cause })
  }
  if (error.code === 'NONCE_AHEAD_OF_CHAIN') {
    const message = `The journal is ahead of ${chainName}: its endpoint lags, or the chain was reset.`
    return new ToolError('RPC_STALE', message, { cause })
  }
  if (error.code === 'NONCE_CONTENDED') {
    const message = `Somebody else sends from the same wallet, or an endpoint of ${chainName} miscounts. Nothing was signed.`
    return new ToolError('TRANSACTION_NOT_SENT', message, { cause })
  }
  return providerError(error) ?? new ToolError('INTERNAL', 'The transaction could not be signed.', { cause })
}

/** A provider signs and never sends: whatever it failed at, nothing went out. */
function providerError(error: WalletError): ToolError | null {
  const reported = providerErrors.get(error.code)
  return reported === undefined ? null : new ToolError(reported.code, reported.message, { cause: error })
}

const unavailable = {
  code: 'SIGNER_UNAVAILABLE',
  message: 'The wallet provider did not sign the transaction.',
} as const
const foreign = { code: 'SIGNER_UNAUTHORIZED', message: 'The wallet provider does not sign for this server.' } as const
const refused = { code: 'SIGNER_REFUSED', message: 'The wallet provider refused to sign the transaction.' } as const

type ProviderError = typeof unavailable | typeof foreign | typeof refused

const providerErrors: ReadonlyMap<string, ProviderError> = new Map<string, ProviderError>([
  ['SIGNER_UNAVAILABLE', unavailable],
  ['SIGNER_RATE_LIMITED', unavailable],
  ['SIGNER_REFUSED', refused],
  ['SIGNER_UNAUTHORIZED', foreign],
  ['WALLET_ADDRESS_MISMATCH', foreign],
])
