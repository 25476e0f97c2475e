import { type Hash, parseTransaction, type TransactionReceipt } from 'viem'
import type { ExecutionContext } from '../context/engine.ts'
import { receiptOrNull } from '../call/chain-snapshot.ts'
import { gasCosts, gasHome, receiptOf } from '../spending/gas.ts'
import { priceTokens } from '../value/spend-value.ts'
import { isolateFailure, onStorage } from '../call/refusal.ts'
import type { OpenReservation } from '@svc/store'
import type { JournalEntry } from '@svc/wallet/core'
import { ToolError } from '@svc/amm'
import { isReceiptUnreadable } from '@svc/amm/rpc'
import { endOperations, openOperations } from '../transactions/end-operations.ts'
import { isOfWayHome, replacementRules } from '../transactions/replacing.ts'
import { settleLeft } from './settle-left.ts'
import { approvalOf, isSignedOpen, mayBeMined } from '../operations/may-be-mined.ts'
import { signedCalls } from '../batch/batch-step.ts'
import { readCalldata } from '../calldata/read-calldata.ts'
import { isSubmitOrder, isVaultMint } from '../calldata/call-bounds.ts'
import { isAnyDue, noteFailedRevocations, revokePending } from '../transactions/revoke-pending.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'

/**
 * Brings what earlier requests left behind on one chain to its end: transactions that are out are looked up, sent again
 * or, where their fees keep them out, signed again; nonces nothing waits at are used up; reservations whose
 * transactions are all closed are settled with what those moved and burnt, allowances that should be zero are set to
 * zero, and gas that nothing was reserved for is counted, each apart from the others: one that fails is logged, counts
 * on as it is reserved, and is tried again next time. So does a transaction whose nonce is used up in a settled block and
 * whose receipt no endpoint gives, which opens the breaker for all but ways home. Run at start and before a write that finds something open. Rejects when the chain's transactions cannot be looked up, and when our own state cannot.
 */
export async function clearUp(context: ExecutionContext, inFlight: ReadonlySet<string>): Promise<ClearedUp> {
  const { chain, sender } = context
  await endOverdue(context)
  const rules = replacementRules(context)
  const held: Held[] = []
  const unread = new Set<string>()
  const entries = await sender.reconcile({
    ...rules,
    onHeld: (entry, why) => {
      rules.onHeld?.(entry, why)
      held.push({ entry, why })
    },
    onUnread: ({ hash, nonce, requestId }, error) => {
      if (!isReceiptUnreadable(error)) return false
      context.engine.log.warn('tx.unread', { requestId, chainId: chain.id, hash, nonce, error })
      unread.add(requestId)
      return true
    },
  })
  await takeOutOfTheWay(context, held)
  for (const { hash, nonce, state } of entries) {
    const transaction = { chainId: chain.id, hash, nonce }
    context.engine.audit.note({ event: 'tx.reconciled', transaction, result: { status: state } })
  }
  await noteFailedRevocations(context, entries)
  const pending = [...newestOpen(entries).map(({ hash }) => hash), ...(await endOperations(context))]
  const left = await reservationsLeft(context, inFlight)
  const settled = await settleAll(context, left, unread)
  context.engine.unread.set(chain.id, unread.size)
  await stopForUnread(
    context,
    left.filter(({ requestId, isExit }) => !isExit && unread.has(requestId)),
  )
  // A request that is not settled yet must still find which of its approvals ended.
  const areAllSettled = settled.length === left.length
  const tookBack = pending.length === 0 ? await revokePending(context, areAllSettled) : 0
  // Some wait for their allowances to end.
  if (tookBack > 0 && !areAllSettled) {
    const others = left.filter(({ requestId }) => !settled.includes(requestId))
    settled.push(...(await settleAll(context, others, unread)))
  }
  await isolateFailure(context.engine, 'clear-up.uncounted-gas', { chainId: chain.id }, () => countLeftGas(context))
  return { chainId: chain.id, pending, settled, tookBack }
}

/** Settles reservations, each apart from the others, and answers the requests of those that are; those whose receipts nobody can read are noted. */
async function settleAll(
  context: ExecutionContext,
  left: readonly OpenReservation[],
  unread: Set<string>,
): Promise<string[]> {
  const settled: string[] = []
  for (const reservation of left) {
    const { requestId } = reservation
    await isolateFailure(context.engine, 'clear-up.unsettled', { chainId: context.chain.id, requestId }, async () => {
      const isSettled = await settleLeft(context, reservation).catch((error: unknown) => {
        if (isReceiptUnreadable(error)) unread.add(requestId)
        throw error
      })
      if (isSettled) settled.push(requestId)
    })
  }
  return settled
}

/**
 * What a call did that nobody can read may be all that its simulation did not show, of which no budget knows: it opens the breaker as a call
 * that brought less, which lets ways home pass. Once an operator has re-armed it, what was begun before opens it no more.
 */
async function stopForUnread(
  { engine, chain, client }: ExecutionContext,
  unread: readonly OpenReservation[],
): Promise<void> {
  if (unread.length === 0) return
  await isolateFailure(engine, 'clear-up.unread', { chainId: chain.id }, async () => {
    const { rearmed } = await engine.breaker.status()
    const since = rearmed === null ? 0 : Date.parse(rearmed.at)
    for (const { requestId } of unread.filter(({ reservedAt }) => reservedAt > since)) {
      const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(requestId))
      // What is known to have reverted has moved nothing.
      const effects = signed.filter((entry) => entry.state !== 'reverted' && mayBeMined(entry))
      if (!(await isUnread(client, effects))) continue
      const cause = `no endpoint gives a receipt that tells what request ${requestId} on ${chain.name} did`
      await openBreaker(engine, cause, 'shortfall')
      return
    }
  })
}

/** Asked once more: an endpoint may say no to a call once, whatever was asked. */
async function isUnread(client: ExecutionContext['client'], entries: readonly JournalEntry[]): Promise<boolean> {
  const looks = entries.map(({ hash }) => receiptOrNull(client, hash).then(() => false, isReceiptUnreadable))
  return (await Promise.all(looks)).includes(true)
}

type Held = { readonly entry: JournalEntry; readonly why: 'capped' | 'not-allowed' }

/**
 * What is kept from higher fees would keep ways home waiting behind its nonce for as long as gas is dear: a no-op, which costs a part of
 * it, takes its place where those fees are above what may be paid, or where an open breaker lets ways home pass alone. A removal keeps
 * its place: it is mined once gas is cheaper, and what waits behind it could not pay more.
 */
async function takeOutOfTheWay(context: ExecutionContext, held: readonly Held[]): Promise<void> {
  const { engine, sender, chain } = context
  if (held.length === 0) return
  const isHomeAlone = (await engine.breaker.stops()) === 'all-but-ways-home'
  for (const { entry } of held.filter(({ why }) => why === 'capped' || isHomeAlone)) {
    await isolateFailure(engine, 'clear-up.in-the-way', { chainId: chain.id, hash: entry.hash }, async () => {
      if (await isRemoval(engine, entry)) return
      await sender.cancel(entry, replacementRules(context, { why: 'end a transaction that keeps ways home waiting' }))
    })
  }
}

/** Whether it brings funds home with no more gas than every other call leaves for that. */
async function isRemoval(engine: ExecutionContext['engine'], entry: JournalEntry): Promise<boolean> {
  const { gas = 0n } = parseTransaction(entry.rawTransaction)
  return gas <= gasHome && (await isOfWayHome(engine, { replaces: entry }))
}

/**
 * Whoever decides what is mined may hold back what is signed. A trade has a deadline in its calldata; an order, a deposit into a vault or an approval has none, and
 * would be good for as long as its nonce is free: once it is out for as long as a deadline may lie ahead, a no-op takes its place, before
 * its own bytes are sent again or get higher fees. So it does for a private trade: such an endpoint gets nothing mined that fails, not even to use its nonce up.
 */
async function endOverdue(context: ExecutionContext): Promise<void> {
  const { engine, sender, chain, client, wallet } = context
  const mostMs = engine.policy.deadlineSeconds.cap * 1_000
  const signed = await onStorage('the journal cannot be read', () => engine.journal.open(chain.id, wallet))
  // Higher fees begin no new time: the oldest attempt at a nonce counts.
  const outSince = ({ nonce }: JournalEntry) =>
    Math.min(...signed.flatMap((one) => (one.nonce === nonce ? [one.signedAt] : [])))
  const overdue = newestOpen(signed).filter((one) => one.state !== 'mined' && engine.now() - outSince(one) > mostMs)
  if (overdue.length === 0) return
  const open = await onStorage('the spend ledger cannot be read', () => engine.ledger.open())
  const spends = new Set(open.flatMap(({ id, isExit }) => (isExit ? [] : [id])))
  const count = await client.getTransactionCount({ address: wallet })
  for (const entry of overdue) {
    // A no-op draws on nothing, nor does an allowance that is taken back.
    const isSpend = entry.reservationId !== null && spends.has(entry.reservationId)
    const isEndless = entry.submission !== undefined || isUnbounded(context, entry)
    if (entry.nonce < count || !isSpend || !isEndless) continue
    await isolateFailure(engine, 'clear-up.overdue', { chainId: chain.id, hash: entry.hash }, async () => {
      await sender.cancel(
        entry,
        replacementRules(context, { why: 'end what was not mined in time and would not end by itself' }),
      )
    })
  }
}

/** Whether it places an order, puts something into a vault or gives an allowance, and nothing in its calldata makes it fail after a time. */
function isUnbounded({ chain, known }: ExecutionContext, entry: JournalEntry): boolean {
  const calls = signedCalls(entry)
  const hasDeadline = calls.some(({ to, data }) => {
    const surface = known.surfaces.get(to.toLowerCase())
    if (surface === undefined || surface === 'listed') return false
    return (readCalldata(surface, to, data, chain.wrappedNative.address)?.deadlines.length ?? 0) > 0
  })
  return (
    !hasDeadline && (approvalOf(entry) !== null || calls.some(({ data }) => isSubmitOrder(data) || isVaultMint(data)))
  )
}

export type ClearedUp = {
  readonly chainId: number
  /** Transactions that are still out. */
  readonly pending: readonly Hash[]
  /** Requests whose reservations were closed. */
  readonly settled: readonly string[]
  readonly tookBack: number
}

/** Whether anything on a chain waits for `clearUp`; asks our own state alone. */
export async function isAnythingLeft(
  context: Pick<ExecutionContext, 'engine' | 'chain' | 'wallet'>,
  inFlight: ReadonlySet<string>,
): Promise<boolean> {
  const { engine, chain, wallet } = context
  const [isDue, ...left] = await Promise.all([
    isAnyDue(engine, chain, wallet),
    engine.journal.open(chain.id, wallet),
    engine.journal.refused(chain.id, wallet),
    openOperations(context),
    reservationsLeft(context, inFlight),
    engine.ledger.uncountedGas(chain.id),
  ])
  return isDue || left.some(({ length }) => length > 0)
}

async function reservationsLeft(
  { engine, chain }: Pick<ExecutionContext, 'engine' | 'chain'>,
  inFlight: ReadonlySet<string>,
): Promise<readonly OpenReservation[]> {
  const open = await onStorage('the spend ledger cannot be read', () => engine.ledger.open())
  const left = open.filter(({ chainId, requestId }) => chainId === chain.id && !inFlight.has(requestId))
  // What an order may take counts until the chain has decided on it.
  const ordered =
    left.length === 0 ? [] : await onStorage('the orders cannot be read', () => engine.orders.open(chain.id))
  return left.filter(({ id }) => ordered.every(({ reservationId }) => reservationId !== id))
}

/** The refusal of a write while an earlier transaction of the wallet is out: its end decides what a plan may assume. */
export function stillPending(pending: readonly Hash[]): ToolError {
  return new ToolError('WALLET_BUSY', 'An earlier transaction of the wallet is not confirmed yet.', {
    details: pending.map((txHash) => ({ message: 'not confirmed', txHash })),
  })
}

/** Of several attempts at a nonce the newest one speaks for it. */
function newestOpen(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const newest = new Map<number, JournalEntry>()
  for (const entry of entries.filter(isSignedOpen)) {
    if (entry.attempt >= (newest.get(entry.nonce)?.attempt ?? 0)) newest.set(entry.nonce, entry)
  }
  return [...newest.values()]
}

/**
 * Counts the gas of mined transactions that no reservation settled: allowances revoked later, nonces used up, calls
 * cancelled, and what turned out to be mined after its request had ended. No limit refuses any of these, but all of them
 * count. Without a price of native currency they wait for one, and a receipt that nobody has now waits by itself: neither
 * keeps a write from going. Throws `STORAGE_UNAVAILABLE`.
 */
async function countLeftGas({ engine, chain, client }: ExecutionContext): Promise<void> {
  const { ledger } = engine
  const left = await onStorage('the ledger cannot be read', () => ledger.uncountedGas(chain.id))
  if (left.length === 0) return
  const priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
  const read = async (hash: Hash): Promise<TransactionReceipt | null> => {
    const entry = await onStorage('the journal cannot be read', () => engine.journal.byHash(hash))
    try {
      const receipt = await client.getTransactionReceipt({ hash })
      return entry === null ? receipt : receiptOf(entry, receipt, chain)
    } catch (error) {
      engine.log.warn('gas.uncounted', { chainId: chain.id, hash, error })
      return null
    }
  }
  const receipts = await Promise.all(left.map(({ hash }) => read(hash as Hash)))
  const gas = gasCosts(
    receipts.filter((receipt) => receipt !== null),
    priced,
  )
  if (gas !== null && gas.length > 0) await onStorage('the gas cannot be counted', () => ledger.countGas(gas))
}
