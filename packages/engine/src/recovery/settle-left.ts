import { larger } from '@svc/lp-math'
import { type GasCost, type OpenReservation, type PendingRevocation, StoreError, type TokenAmounts } from '@svc/store'
import type { JournalEntry } from '@svc/wallet/core'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import { ToolError } from '@svc/amm'
import { sentBySigned } from '../batch/batch-step.ts'
import { lossWithTaken, takenBySpenders, toNamed } from '../transactions/taken-by-spenders.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { countable } from '../spending/countable.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { receiptOf, gasCostsOr, nativeChangeIn } from '../spending/gas.ts'
import { approvalsIn, isMinedApproval, isSignedOpen } from '../operations/may-be-mined.ts'
import { cameHome } from '../stages/settled-value.ts'
import { isRepaidGas, noneOf } from '../spending/spend-limit.ts'
import { outflowsOf, type PricedTokens, priceTokens, valueOf, valueOfMined } from '../value/spend-value.ts'
import { onStorage } from '../call/refusal.ts'
import { lossBeyond, type Mined } from './loss-beyond.ts'
import { currentAllowances } from '../transactions/revoke-allowances.ts'
import { pendingOn, takesBack } from '../transactions/revoke-pending.ts'

/**
 * Closes a reservation whose request no longer runs. Answers false while one of its transactions is out, or was refused and
 * its nonce is not used yet, since an endpoint may still forward what it refused, and while a spender that the operator names may take of
 * its allowance. Throws `STORAGE_UNAVAILABLE`, and whatever
 * keeps this one reservation open.
 */
export async function settleLeft(context: ExecutionContext, reservation: OpenReservation): Promise<boolean> {
  const { id, requestId } = reservation
  const { engine } = context
  const all = await onStorage('the journal cannot be read', () => engine.journal.byRequest(requestId))
  const entries = all.filter(({ reservationId }) => reservationId === id)
  // What spends nothing is drawn on no reservation: allowances that were revoked.
  const revocations = all.filter(({ reservationId }) => reservationId === null)
  if (entries.some((entry) => isSignedOpen(entry) || entry.state === 'refused')) return false
  // It may be that of a wallet whose key the server had before.
  const of = { ...context, wallet: entries[0]?.from ?? context.wallet }
  if (entries.length === 0) await onLedger(() => engine.ledger.release(id))
  else {
    const mined = await minedOf(of, entries)
    const tookBack = await minedOf(of, revocations)
    const besides = await takenOf(of, [...mined, ...tookBack])
    if (besides === null) return false
    const { taken, priced } = besides
    const { usdMicros, eachUsdMicros, isAll, amounts, deltas } = await movedUsdMicros(of, mined, tookBack)
    const { amountUsdMicros } = reservation
    // Own liquidity that re-enters its pool is no spend, what was traded on the way is: together no more than was reserved for it.
    const within = eachUsdMicros < amountUsdMicros ? eachUsdMicros : amountUsdMicros
    const moved = countable(usdMicros > within ? usdMicros : within, isAll ? 0n : amountUsdMicros)
    const burnt = await burntBy(of, mined, reservation.gasUsdMicros)
    const isRepaid = reservation.isExit && (await isRepaidBy(of, deltas, burnt))
    const known = mined.every((one) => !isFinal(one) || isMinedApproval(one.entry))
      ? noneOf(reservation.budgets)
      : await lossBeyond(of, reservation, {
          mined: mined.filter(isFinal),
          nativeDelta: (done, ofTokens) => nativeDelta(of, done, inBlocksOf(done, [...mined, ...tookBack]), ofTokens),
        })
    const budgets = lossWithTaken(known, { taken, reserved: reservation.budgets, priced })
    const isHeld = !entries.every(isMinedApproval) || toNamed(approvalsIn(entries), of).length > 0
    const left = countable(moved + valueOf(taken, priced).usdMicros)
    const rest = { amounts: sumOf([amounts, taken]), isRepaid, isHeld }
    await onLedger(() => engine.ledger.settle(id, left, burnt, budgets, rest))
  }
  const settled = { event: 'tx.settled', requestId, transactions: entries.map(({ hash }) => hash) } as const
  await onStorage('the audit log cannot be written', () => engine.audit.append(settled))
  return true
}

/** What spenders took by themselves of what the request has allowed; `null` while they may yet. */
async function takenOf(context: ExecutionContext, mined: readonly Mined[]) {
  const { engine, chain, wallet } = context
  const approved = approvalsIn(mined.filter(isFinal).map(({ entry }) => entry))
  const granted = toNamed(approved, context)
  if (granted.length === 0) return { taken: new Map<string, bigint>(), priced: new Map() }
  const isOf = (one: PendingRevocation) =>
    granted.some(({ token, spender }) => isAddressEqual(one.token, token) && isAddressEqual(one.spender, spender))
  const owed = (await pendingOn(engine, chain, wallet)).filter(isOf)
  const standing = owed.length === 0 ? null : await currentAllowances(context, owed)
  if (standing !== null && (!standing.holdsAll || standing.amounts.some((amount) => amount > 0n))) return null
  const own = mined.map(({ receipt }) => receipt)
  const taken = await takenBySpenders(context, granted, { own, until: standing?.blockNumber ?? 0n })
  const priced: PricedTokens = taken.size === 0 ? new Map() : await pricesOf(context, new Set(taken.keys()))
  return { taken, priced }
}

/**
 * Throws an error about this one reservation as it is, which keeps that one open. Any other failure of the ledger is
 * `STORAGE_UNAVAILABLE`, which stops all signing.
 */
async function onLedger(work: () => Promise<void>): Promise<void> {
  const refused = await onStorage('the spend ledger cannot be written', () =>
    work().then(
      () => null,
      (error: unknown) => {
        if (error instanceof StoreError && ofOneReservation.has(error.code)) return error
        throw error
      },
    ),
  )
  if (refused !== null) throw refused
}

const ofOneReservation: ReadonlySet<string> = new Set(['RESERVATION_NOT_OPEN', 'RESERVATION_IN_USE', 'AMOUNT_INVALID'])

/** Those that were mined, the failed ones included. */
async function minedOf(
  { chain, client }: ExecutionContext,
  entries: readonly JournalEntry[],
): Promise<readonly Mined[]> {
  const mined = entries.filter(({ state }) => state === 'final' || state === 'reverted')
  return Promise.all(
    mined.map(async (entry) => {
      const receipt = await client.getTransactionReceipt({ hash: entry.hash })
      return { entry, receipt: receiptOf(entry, receipt, chain) }
    }),
  )
}

/** What the gas of mined transactions cost, or what was reserved for it where native currency has no price. */
async function burntBy(
  { engine, chain }: ExecutionContext,
  mined: readonly Mined[],
  reservedUsdMicros: bigint,
): Promise<readonly GasCost[]> {
  const priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
  return gasCostsOr(
    reservedUsdMicros,
    mined.map(({ receipt }) => receipt),
    priced,
  )
}

/**
 * What mined transactions count as, in millionths of a dollar and by token, and whether all of it is known: what they moved out or exposed,
 * or what arrived for it where that is more. What only brings funds home is no spend.
 */
async function movedUsdMicros(
  context: ExecutionContext,
  mined: readonly Mined[],
  revocations: readonly Mined[],
): Promise<MovedUsd> {
  const { engine, chain, wallet } = context
  const done = mined.filter(isFinal)
  const own = { wallet, wrappedNative: chain.wrappedNative.address }
  const { deltas: ofTokens, rights } = assetChanges(
    done.map(({ receipt }) => receipt.logs),
    own,
  )
  const nativeWei = await nativeDelta(context, done, [...mined, ...revocations], ofTokens)
  const sentWei = done.reduce((sum, { entry }) => sum + sentBySigned(entry), 0n)
  const deltas = new Map([...ofTokens, [zeroAddress, nativeWei ?? -sentWei]])
  const spent = outflowsOf(deltas)
  const used = sumOf(
    done.flatMap(({ receipt }) => receipt.logs.map((log) => outflowsOf(assetChanges([[log]], own).deltas))),
  )
  const pendingRevocations = await pendingOn(engine, chain, wallet)
  for (const { token, spender, amount, by } of rights) {
    // An allowance that was or is going to be revoked exposes nothing for long, nor does one that was used up; what stays is the spend.
    const isOwed = pendingRevocations.some(
      (one) => isAddressEqual(one.token, token) && isAddressEqual(one.spender, spender),
    )
    const isEnding = isOwed || revocations.some((one) => isFinal(one) && takesBack(one.entry, { token, spender }))
    const key = token.toLowerCase()
    const exposed = by === 'token' && !isEnding ? (amount ?? 0n) - (used.get(key) ?? 0n) : 0n
    if (exposed > 0n) spent.set(key, (spent.get(key) ?? 0n) + exposed)
  }
  const leftByEach = done.map(({ entry, receipt }) => {
    const { deltas: moved } = assetChanges([receipt.logs], own)
    return outflowsOf(new Map([...moved, [zeroAddress, -sentBySigned(entry)]]))
  })
  const leaving = new Set([...spent.keys(), ...leftByEach.flatMap((left) => [...left.keys()])])
  const nothing = { usdMicros: 0n, eachUsdMicros: 0n, isAll: true, amounts: spent, deltas }
  if (leaving.size === 0) return nothing
  const priced = await pricesOf(context, new Set([...leaving, ...deltas.keys()]))
  const eachUsdMicros = leftByEach.reduce((sum, left) => sum + valueOf(left, priced).usdMicros, 0n)
  if (spent.size === 0) return { ...nothing, eachUsdMicros }
  // Whether shares of a pair were given back or sold is not reported from here: what was reserved for them stands.
  if ([...spent.keys()].some((token) => (priced.get(token)?.pair ?? null) !== null)) {
    return { ...nothing, isAll: false, eachUsdMicros }
  }
  // What was sent along is signed, so that what was reserved bounds it: that stands where the balances do not tell what came of it.
  const known = nativeWei === null ? new Map([...deltas, [zeroAddress, 0n] as const]) : deltas
  const left = new Map([...spent].filter(([token]) => token !== zeroAddress || nativeWei !== null))
  const { usdMicros, unpriced } = valueOf(left, priced)
  return {
    usdMicros: valueOfMined(usdMicros, known, priced),
    eachUsdMicros,
    isAll: nativeWei !== null && unpriced.length === 0,
    amounts: spent,
    deltas,
  }
}

function sumOf(all: readonly TokenAmounts[]): TokenAmounts {
  const sums = new Map<string, bigint>()
  for (const amounts of all) for (const [key, amount] of amounts) sums.set(key, (sums.get(key) ?? 0n) + amount)
  return sums
}

type MovedUsd = {
  readonly usdMicros: bigint
  /** What left with each transaction by itself, whatever another brought: what each of them traded or deposited. */
  readonly eachUsdMicros: bigint
  readonly isAll: boolean
  readonly amounts: TokenAmounts
  /** Net changes of the wallet. */
  readonly deltas: ReadonlyMap<string, bigint>
}

/** Whether what arrived repays the gas of a way home. */
async function isRepaidBy(
  context: ExecutionContext,
  deltas: ReadonlyMap<string, bigint>,
  burnt: readonly GasCost[],
): Promise<boolean> {
  const priced = await pricesOf(context, new Set(deltas.keys()))
  const gasUsdMicros = burnt.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
  return isRepaidGas({ isExit: true, homeUsdMicros: cameHome(deltas, priced), gasUsdMicros }, context.engine.policy)
}

async function pricesOf(context: ExecutionContext, keys: ReadonlySet<string>): Promise<PricedTokens> {
  const { engine, chain } = context
  const tokens = await readableOf(
    context,
    [...keys].filter((token): token is Address => token.startsWith('0x')),
  )
  return priceTokens(tokens, { ...engine, directory: engine.tokens, chain })
}

/**
 * Net change in native currency, which leaves no logs: what the balance grew by in the blocks of `all`, gas added back, and never less
 * than what was sent. Where nothing was sent and no token left, nothing was paid for, and what came does not matter. `null` where the
 * endpoint no longer has those balances.
 */
async function nativeDelta(
  { engine, chain, client, wallet }: ExecutionContext,
  done: readonly Mined[],
  all: readonly Mined[],
  ofTokens: ReadonlyMap<string, bigint>,
): Promise<bigint | null> {
  const sentWei = done.reduce((sum, { entry }) => sum + sentBySigned(entry), 0n)
  if (sentWei === 0n && outflowsOf(ofTokens).size === 0) return 0n
  const receipts = all.map(({ receipt }) => receipt)
  try {
    return larger(await nativeChangeIn(client, wallet, receipts), -sentWei)
  } catch (error) {
    if (!(error instanceof ToolError && ofLackedState.has(error.code))) throw error
    engine.log.warn('clear-up.unread-balance', {
      chainId: chain.id,
      blocks: receipts.map(({ blockNumber }) => String(blockNumber)),
      error,
    })
    return null
  }
}

/** Answers of nodes that do not keep the state of older blocks. Other failures are thrown, and it is tried again later. */
const ofLackedState: ReadonlySet<string> = new Set(['RPC_STALE', 'RPC_REFUSED'])

/** Any contract may announce a transfer from the wallet: what cannot be read as a token has no price. */
async function readableOf(
  { engine, chain }: ExecutionContext,
  tokens: readonly Address[],
): Promise<readonly Address[]> {
  const read = tokens.map(async (token) => {
    try {
      if (token !== zeroAddress) await engine.tokens.byAddress(chain, token)
      return [token]
    } catch (error) {
      engine.log.warn('clear-up.unreadable-token', { chainId: chain.id, token, error })
      return []
    }
  })
  return (await Promise.all(read)).flat()
}

/** Of all that was mined. */
function inBlocksOf(some: readonly Mined[], all: readonly Mined[]): readonly Mined[] {
  const blocks = new Set(some.map(({ receipt }) => receipt.blockNumber))
  return all.filter(({ receipt }) => blocks.has(receipt.blockNumber))
}

function isFinal({ entry }: Mined): boolean {
  return entry.state === 'final'
}
