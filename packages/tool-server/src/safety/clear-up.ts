import type { GasCost, OpenReservation } from '@svc/store'
import type { Chain, JournalEntry } from '@svc/wallet'
import { type Address, type Hash, isAddressEqual, parseTransaction, type TransactionReceipt, zeroAddress } from 'viem'
import { ToolError } from '../tool-error.ts'
import { revokeStep } from './approval-steps.ts'
import { assetChanges } from './asset-changes.ts'
import { countLeftGas } from './count-left-gas.ts'
import { dearGas } from './dear-gas.ts'
import type { Engine, Trip } from './engine.ts'
import { gasCostsOr } from './gas-worth.ts'
import { isPaused } from './kill-switch.ts'
import type { OwedAllowance } from './owed-allowances.ts'
import { throwFirst } from './refusal.ts'
import { replacementRules } from './replacing.ts'
import { outflowsOf, priceTokens, valueOf } from './spend-value.ts'
import { readAllowances, survey } from './survey.ts'
import { isAnyRefused } from './take-back.ts'
import { broadcast, confirm, sign } from './transact.ts'

/**
 * Brings what earlier requests left behind on one chain to its end: transactions that are out are looked up, sent again
 * or, where their fees keep them out, signed again; nonces nothing waits at are used up; reservations whose transactions are all closed are settled with what those moved and burnt, allowances that should
 * be zero are set to zero, and gas that nothing was reserved for is counted. Run at start and before a write that finds something open. Rejects when the chain cannot be read.
 */
export async function clearUp(trip: Trip, inFlight: ReadonlySet<string>): Promise<ClearedUp> {
  const { chain, sender } = trip
  const entries = await sender.reconcile(replacementRules(trip))
  for (const { hash, nonce, state } of entries) {
    const transaction = { chainId: chain.id, hash, nonce }
    trip.engine.audit.note({ event: 'tx.reconciled', transaction, result: { status: state } })
  }
  const pending = newestOpen(entries)
  const settled: string[] = []
  for (const reservation of await reservationsLeft(trip, inFlight)) {
    if (await settleLeft(trip, reservation)) settled.push(reservation.requestId)
  }
  const tookBack = pending.length === 0 ? await takeBackOwed(trip) : 0
  await countLeftGas(trip)
  return { chainId: chain.id, pending, settled, tookBack }
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
export async function isAnythingLeft(trip: Trip, inFlight: ReadonlySet<string>): Promise<boolean> {
  const { engine, chain, wallet } = trip
  const [open, refused, owed, reserved, uncounted] = await Promise.all([
    engine.journal.open(chain.id, wallet),
    engine.journal.refused(chain.id, wallet),
    owedOn(engine, chain, wallet),
    reservationsLeft(trip, inFlight),
    engine.ledger.uncountedGas(chain.id),
  ])
  return [open, refused, owed, reserved, uncounted].some(({ length }) => length > 0)
}

async function reservationsLeft(
  { engine, chain }: Trip,
  inFlight: ReadonlySet<string>,
): Promise<readonly OpenReservation[]> {
  const open = await engine.ledger.open()
  return open.filter(({ chainId, requestId }) => chainId === chain.id && !inFlight.has(requestId))
}

/**
 * Closes a reservation of a request that is gone; false while one of its transactions is out, or was refused and its
 * nonce is not taken yet: an endpoint may forward what it refuses.
 */
async function settleLeft(trip: Trip, reservation: OpenReservation): Promise<boolean> {
  const { id, requestId } = reservation
  const { engine } = trip
  const all = await engine.journal.byRequest(requestId)
  const entries = all.filter(({ reservationId }) => reservationId === id)
  // What spends nothing is drawn on no reservation: allowances that were taken back.
  const takeBacks = all.filter(({ reservationId }) => reservationId === null)
  if (entries.some((entry) => isOpen(entry) || entry.state === 'refused')) return false
  // It may be that of a wallet whose key the server had before.
  const of = { ...trip, wallet: entries[0]?.from ?? trip.wallet }
  if (entries.length === 0) await engine.ledger.release(id)
  else {
    const moved = await movedUsdMicros(of, entries, takeBacks)
    const burnt = await burntBy(of, entries, reservation.gasUsdMicros)
    await engine.ledger.settle(id, moved ?? reservation.amountUsdMicros, burnt)
  }
  await engine.audit.append({ event: 'tx.settled', requestId, transactions: entries.map(({ hash }) => hash) })
  return true
}

/** What the gas of mined transactions cost, those that failed included; what was reserved for it without a price. */
async function burntBy(
  { engine, chain, client }: Trip,
  entries: readonly JournalEntry[],
  reservedUsdMicros: bigint,
): Promise<readonly GasCost[]> {
  const mined = entries.filter((entry) => isFinal(entry) || entry.state === 'reverted')
  const receipts = await Promise.all(mined.map(({ hash }) => client.getTransactionReceipt({ hash })))
  const priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
  return gasCostsOr(reservedUsdMicros, receipts, priced)
}

/** What mined transactions moved out or exposed, in millionths of a dollar; `null` when a price is missing. */
async function movedUsdMicros(
  trip: Trip,
  entries: readonly JournalEntry[],
  takeBacks: readonly JournalEntry[],
): Promise<bigint | null> {
  const { engine, chain, client, wallet } = trip
  const mined = entries.filter(isFinal)
  const receipts = await Promise.all(mined.map(({ hash }) => client.getTransactionReceipt({ hash })))
  const changes = assetChanges(
    receipts.map(({ logs }) => logs),
    { wallet, wrappedNative: chain.wrappedNative.address },
  )
  const spent = outflowsOf(changes.deltas)
  const sent = mined.reduce((sum, { rawTransaction }) => sum + (parseTransaction(rawTransaction).value ?? 0n), 0n)
  if (sent > 0n) spent.set(zeroAddress, sent)
  const owed = await owedOn(engine, chain, wallet)
  for (const { token, spender, amount, by } of changes.rights) {
    // An allowance that was or is going to be taken back exposes nothing for long; one that stays is the spend.
    const isOwed = owed.some((one) => isAddressEqual(one.token, token) && isAddressEqual(one.spender, spender))
    const isEnding = isOwed || takeBacks.some((entry) => isFinal(entry) && takesBack(entry, { token, spender }))
    const key = token.toLowerCase()
    if (by === 'token' && !isEnding && amount !== null && amount > (spent.get(key) ?? 0n)) spent.set(key, amount)
  }
  const tokens = [...spent.keys()].filter((token): token is Address => token.startsWith('0x'))
  const priced = await priceTokens(tokens, { ...engine, directory: engine.tokens, chain })
  // Whether shares of a pair were given back or sold is not told from here: what was reserved for them stands.
  if (tokens.some((token) => (priced.get(token)?.pair ?? null) !== null)) return null
  const { usdMicros, unpriced } = valueOf(spent, priced)
  return unpriced.length > 0 ? null : usdMicros
}

function takesBack({ rawTransaction }: JournalEntry, allowance: Pick<OwedAllowance, 'token' | 'spender'>): boolean {
  const { to, data } = parseTransaction(rawTransaction)
  const step = revokeStep(allowance)
  return to != null && isAddressEqual(to, step.to) && data === step.data
}

async function takeBackOwed(trip: Trip): Promise<number> {
  const { engine, chain, client, wallet } = trip
  const owed = await owedOn(engine, chain, wallet)
  if (owed.length === 0 || (await isPaused(engine.dataDir))) return 0
  // Bytes that were declined may be an approval and be mined all the same: until that is settled nothing is forgotten.
  const mayForget = !(await isAnyRefused(trip))
  const standing = await readAllowances(client, wallet, owed)
  let tookBack = 0
  for (const [index, one] of owed.entries()) {
    try {
      if (standing[index] !== 0n) {
        await revoke(trip, one)
        tookBack += 1
      }
      if (mayForget) await engine.owed.remove([one])
    } catch (error) {
      // A token that refuses must not keep the wallet from everything else; the allowance stays owed.
      engine.log.warn('allowances.owed', { chainId: chain.id, token: one.token, spender: one.spender, error })
    }
  }
  return tookBack
}

async function revoke(trip: Trip, owed: OwedAllowance): Promise<TransactionReceipt> {
  const { engine, chain, client, wallet } = trip
  const step = revokeStep(owed)
  const [{ fees, transactionCount: latestCount }, gasUsed, priced] = await Promise.all([
    survey({ ...engine, client, chain, wallet, allowances: [] }),
    client.estimateGas({ account: wallet, to: step.to, data: step.data }),
    priceTokens([], { ...engine, directory: engine.tokens, chain }),
  ])
  // An allowance is taken back without a price too, for the small fixed sum.
  throwFirst(dearGas(engine.policy, [gasUsed], fees, priced, 'lenient'))
  const facts = { why: 'take back an allowance that an earlier request left' }
  const entry = await sign(trip, step, { gasUsed, fees, latestCount, reservationId: null, facts })
  return confirm(trip, step, await broadcast(trip, entry))
}

/** The refusal of a write while an earlier transaction of the wallet is out: its end decides what a plan may assume. */
export function stillPending(pending: readonly Hash[]): ToolError {
  return new ToolError('WALLET_BUSY', 'An earlier transaction of the wallet is not confirmed yet.', {
    details: pending.map((txHash) => ({ message: 'not confirmed', txHash })),
  })
}

async function owedOn({ owed }: Engine, chain: Chain, wallet: Address): Promise<readonly OwedAllowance[]> {
  const list = await owed.list()
  return list.filter(({ chainId, owner }) => chainId === chain.id && isAddressEqual(owner, wallet))
}

/** Of several attempts at a nonce the newest one speaks for it. */
function newestOpen(entries: readonly JournalEntry[]): readonly Hash[] {
  const newest = new Map<number, JournalEntry>()
  for (const entry of entries.filter(isOpen)) {
    if (entry.attempt >= (newest.get(entry.nonce)?.attempt ?? 0)) newest.set(entry.nonce, entry)
  }
  return [...newest.values()].map(({ hash }) => hash)
}

function isFinal({ state }: JournalEntry): boolean {
  return state === 'final'
}

function isOpen({ state }: JournalEntry): boolean {
  return state === 'signed' || state === 'broadcast' || state === 'mined'
}
