import { larger } from '@svc/lp-math'
import { type TransactionReceipt, zeroAddress } from 'viem'
import type { BlockTime, Settled } from '@svc/amm'
import type { BudgetAmount, EndedRevocation } from '@svc/store'
import { lessTaken, lossWithTaken, takenOrNull, toNamed } from '../transactions/taken-by-spenders.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { callFacts } from '../audit/call-outcomes.ts'
import { usdText } from '../call/amounts.ts'
import { countable } from '../spending/countable.ts'
import { gasCostOf, gasCostsOr, nativeChangeIn } from '../spending/gas.ts'
import {
  countedDeltas,
  holdAgainstSimulation,
  movedOutcome,
  simulationDrift,
  holdRebalance,
} from './hold-against-simulation.ts'
import { placedCrossChain } from './sign-order.ts'
import type { Reserved } from './reserve-spend.ts'
import { settledOf } from './settled-of.ts'
import { budgetsUsed, callsMade, cameHome, pairsAsBurnt, sharesAsMade } from './settled-value.ts'
import type { Progress } from '../context/execution-context.ts'
import { budgetNames } from '../spending/budgets.ts'
import { isRepaidGas } from '../spending/spend-limit.ts'
import {
  notGivenBack,
  type PricedTokens,
  spentAmounts,
  valueOf,
  valueOfMined,
  valueOfMove,
} from '../value/spend-value.ts'
import { onStorage } from '../call/refusal.ts'
import { readAllowances } from '../call/chain-snapshot.ts'
import { submissionOf } from '../transactions/private-route.ts'
import { endedRights, noteEnded, revokeAllowances, type Standing } from '../transactions/revoke-allowances.ts'
import { isOpened, withOwed } from '../value/destination-price.ts'
import { pricesIn } from '../value/mined-loss.ts'
import { boughtIn } from '../value/moved.ts'
import { tradedIn } from '../value/own-move.ts'
import type { Outcome } from '../value/weigh-change.ts'
import { tokensGivenUp, tokensToPrice } from '../verdict/call-tokens.ts'
import { trustedPrices } from '../value/call-value.ts'

/**
 * Decodes what really moved, revokes what is left of the allowances, settles the ledger with it, and compares it with
 * the simulation. By now everything is mined: what fails here is logged and never turns a success into an error. What is read for
 * the result is begun meanwhile, whatever becomes of that.
 */
export async function settle(context: Reserved, progress: Progress): Promise<Settled> {
  const { engine, call, priced } = context
  const { balanceWei, standing, minedIn } = await readAfter(context, progress)
  const deltas = realDeltas(context, progress, await nativeDelta(context, progress, balanceWei))
  const begun = (async () => progress.reads?.begin(settledOf(context, progress, deltas, [])))()
  begun.catch(() => undefined)
  const { receipts: revokes, ended: atZero } = await revokeAllowances(context, progress, {
    blind: false,
    ...(standing === null ? {} : { standing }),
  })
  const ended = [...atZero, ...endedRights(context, progress)]
  const receipts = [...progress.mined.map(({ receipt }) => receipt), ...revokes]
  const logs = progress.mined.flatMap(({ receipt }) => receipt.logs)
  const opened = isOpened(context, logs)
  const owed = withOwed(deltas, opened ? context.intent.crossChain : undefined)
  const comparable = sharesAsMade(owed, {
    simulated: context.value.simulated.arrives.shares,
    logs,
    wrappedNative: context.chain.wrappedNative.address.toLowerCase(),
    prices: trustedPrices(priced),
  })
  const outcome = movedOutcome(context, progress, comparable)
  const settling = { deltas: countedDeltas(comparable, context.simulation.deltas), receipts, minedIn, outcome, ended }
  // What is opened counts as reserved until it has ended at either end.
  const settlement = opened ? null : await settlementOf(context, progress, settling)
  const drift = simulationDrift(context.simulation.deltas, owed)
  if (drift.length > 0) engine.log.warn('tx.differs-from-simulation', { requestId: call.requestId, drift })
  const how = await submissionOf(context)
  const settled = { ...settledOf(context, progress, deltas, revokes), ...how }
  // The line first, and the ledger while the disk takes it: a crash in between repeats the line and loses none.
  const written = quietly(context, 'audit', () =>
    engine.audit.append({
      event: 'tx.settled',
      ...callFacts(call),
      chainId: context.chain.id,
      deltas: settled.deltas,
      gasCostWei: settled.gasCostWei,
      ...how,
      ...(settlement && settledUsd(settlement)),
      drift,
      transactions: settled.transactions.map(({ hash }) => hash),
    }),
  )
  const recorded = settlement === null ? noteEnded(context, ended) : quietly(context, 'ledger', settlement.settle)
  const placed = await placedCrossChain(context, opened)
  await recorded
  await quietly(context, 'breaker', () => engine.breaker.recordSuccess())
  await quietly(context, 'breaker', () => holdAgainstSimulation(context, comparable, outcome))
  await quietly(context, 'breaker', () => holdRebalance(context, minedIn))
  await written
  return { ...settled, ...placed }
}

/** Settles the reservation, where there is one, as `settlementOf` says. A failure is logged. */
export async function settleLedger(context: Reserved, progress: Progress, settling: Settling): Promise<void> {
  const settlement = await settlementOf(context, progress, settling)
  if (settlement !== null) await quietly(context, 'ledger', settlement.settle)
}

/**
 * What the reservation is settled with: what left, or what a lasting approval exposes, and the gas of every transaction by its
 * receipt; what has no price leaves that part as it is, or at what the rest is worth where that is more. `null` where nothing is reserved.
 */
async function settlementOf(
  context: Reserved,
  progress: Progress,
  { deltas: own, receipts, minedIn, outcome = null, ended = [] }: Settling,
): Promise<Settlement | null> {
  const { reserved, priced } = progress
  const { engine, intent, spend, reservationId } = context
  if (!spend.reserved) return null
  const taken = await takenOrNull(context, context.allowances, { own: receipts, until: 'newest' })
  if (taken === null) return null
  const deltas = lessTaken(own, taken)
  const lasting = intent.approvals.filter(({ revokeAfter }) => !revokeAfter)
  const spent = spentAmounts({ ...intent, spends: [], approvals: lasting }, deltas)
  const { isExit, ownMove } = context.value
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const kept = isExit
    ? notGivenBack(spent, intent, deltas, pairsAsBurnt(priced, logs), 'either')
    : notGivenBack(spent, intent, deltas, priced)
  const { usdMicros: left, unpriced } = valueOf(kept, priced)
  const isTrade = !isExit && lasting.length === 0
  const mined = isTrade ? valueOfMined(left, deltas, priced) : left
  // Of what was to be traded on the way only that which was.
  const calls = context.callBounds.slice(0, callsMade(progress))
  const usdMicros = ownMove === null ? mined : valueOfMove({ ...tradedIn(calls), adds: spent }, priced).usdMicros
  const actual = countable(usdMicros, unpriced.length > 0 ? reserved.amountUsdMicros : 0n)
  const gas = gasCostsOr(reserved.gasUsdMicros, receipts, priced)
  const later = minedIn === null ? null : await laterPrices(context, progress, minedIn)
  const used = budgetsUsed(context, progress, own, outcome)
  const known =
    later === null
      ? used
      : most(reserved.budgets, used, budgetsUsed(context, { ...progress, priced: later }, own, outcome))
  const budgets = lossWithTaken(known, { taken, reserved: reserved.budgets, priced })
  const gasUsdMicros = gas.reduce((sum, cost) => sum + cost.usdMicros, 0n)
  const homeUsdMicros = cameHome(deltas, priced)
  const isRepaid = isRepaidGas({ isExit: context.value.isExit, homeUsdMicros, gasUsdMicros }, engine.policy)
  // Where nothing but allowances of the AMM's own contracts was signed, no other block can make of it what was reserved.
  const { signed, mined: confirmed } = progress
  const isOfNamed = toNamed(context.allowances, context).length > 0
  const isHeld = isOfNamed || signed.length > confirmed.length || signed.some(({ step }) => step.kind !== 'approve')
  const came = { amounts: spent, isRepaid, isHeld, ended }
  const settle = () => engine.ledger.settle(reservationId, actual, gas, budgets, came)
  const lostUsdMicros = budgets.find(({ name }) => name === budgetNames.loss)?.usdMicros ?? 0n
  return { actualUsdMicros: actual, gasUsdMicros, lostUsdMicros, homeUsdMicros: isExit ? homeUsdMicros : 0n, settle }
}

/** Of the line in the audit log. */
function settledUsd({ actualUsdMicros, gasUsdMicros, lostUsdMicros, homeUsdMicros }: Settlement) {
  return {
    spentUsd: usdText(actualUsdMicros),
    gasUsd: usdText(gasUsdMicros),
    lostUsd: usdText(lostUsdMicros),
    homeUsd: usdText(homeUsdMicros),
  }
}

type Settlement = {
  readonly actualUsdMicros: bigint
  readonly gasUsdMicros: bigint
  /** The most that the call could have lost in value, as it counts against the budget. */
  readonly lostUsdMicros: bigint
  /** Worth of what arrived where the call only brings funds home; 0 of every other one. */
  readonly homeUsdMicros: bigint
  readonly settle: () => Promise<void>
}

type Settling = {
  /** As they count. */
  readonly deltas: ReadonlyMap<string, bigint>
  readonly receipts: readonly TransactionReceipt[]
  /** The block of the last that was mined; `null` where it could not be read. */
  readonly minedIn: BlockTime | null
  /** As `movedOutcome` says. */
  readonly outcome?: Outcome | null
  /** What was to be revoked and is over. */
  readonly ended?: readonly EndedRevocation[]
}

/**
 * The prices of the block that mined a call, where that came so long after the prices it was weighed at that the market may have moved:
 * whoever decides what is mined may hold it back until its deadline. `null` where they are of that time, or none can be had.
 */
async function laterPrices(context: Reserved, { valid }: Progress, minedIn: BlockTime): Promise<PricedTokens | null> {
  if (minedIn.timestamp - valid.snapshotTaken.block.timestamp <= samePricesSeconds) return null
  const { chain, simulation, callBounds } = context
  const tokens = [...tokensToPrice(context), ...tokensGivenUp(simulation, chain)]
  return pricesIn(context, minedIn, { tokens, bought: boughtIn(callBounds) })
}

const samePricesSeconds = 60n

/** Of each budget the larger of two amounts; one that a list leaves out counts there as reserved. */
function most(
  reserved: readonly BudgetAmount[],
  some: readonly BudgetAmount[],
  others: readonly BudgetAmount[],
): readonly BudgetAmount[] {
  const names = new Set([...some, ...others].map(({ name }) => name))
  const within = (list: readonly BudgetAmount[], name: string) => list.find((one) => one.name === name)?.usdMicros
  const amountIn = (list: readonly BudgetAmount[], name: string) => within(list, name) ?? within(reserved, name) ?? 0n
  return [...names].map((name) => ({ name, usdMicros: larger(amountIn(some, name), amountIn(others, name)) }))
}

/** Net changes of the wallet: tokens from receipt logs, native currency as given because it leaves no logs. */
export function realDeltas(
  { wallet, chain }: Reserved,
  { mined }: Progress,
  nativeWei: bigint,
): ReadonlyMap<string, bigint> {
  const logs = mined.map(({ receipt }) => receipt.logs)
  const deltas = new Map(assetChanges(logs, { wallet, wrappedNative: chain.wrappedNative.address }).deltas)
  return nativeWei === 0n ? deltas : deltas.set(zeroAddress, nativeWei)
}

/**
 * The change of the native balance since the snapshot, gas left out; as simulated where the balance could not be read. Where it is less
 * than simulated, the blocks of the call say whether the call took it: what somebody gave before may be gone with its block.
 */
async function nativeDelta(
  { simulation, snapshotTaken, client, wallet }: Reserved,
  { mined }: Progress,
  balanceWei: bigint | null,
): Promise<bigint> {
  const simulated = simulation.deltas.get(zeroAddress) ?? 0n
  if (balanceWei === null) return simulated
  const receipts = mined.map(({ receipt }) => receipt)
  const sinceWei = balanceWei - snapshotTaken.balanceWei + gasCostOf(receipts)
  if (sinceWei >= simulated) return sinceWei
  return larger(sinceWei, await nativeChangeIn(client, wallet, receipts).catch(() => sinceWei))
}

type After = {
  readonly balanceWei: bigint | null
  readonly standing: Standing | null
  readonly minedIn: BlockTime | null
}

/** Balance and allowances in the block of the last transaction, read beside its receipt or now in one exchange; `null` for what could not be read. */
async function readAfter(
  { client, wallet, engine, call, allowances }: Reserved,
  { mined, after }: Progress,
): Promise<After> {
  const blockNumber = mined.at(-1)?.receipt.blockNumber
  if (blockNumber === undefined) return { balanceWei: null, standing: null, minedIn: null }
  if (after?.blockNumber === blockNumber) {
    const minedIn = { number: blockNumber, timestamp: after.timestamp }
    return { balanceWei: after.balanceWei, standing: { amounts: after.standing, blockNumber, holdsAll: true }, minedIn }
  }
  const orNull = <Value>(reading: Promise<Value>): Promise<Value | null> =>
    reading.catch((error: unknown) => {
      engine.log.warn('tx.unread-after', { requestId: call.requestId, error })
      return null
    })
  const [balanceWei, standing, minedIn] = await Promise.all([
    orNull(client.getBalance({ address: wallet, blockNumber })),
    orNull(readAllowances(client, wallet, allowances, blockNumber)),
    orNull(client.getBlock({ blockNumber })),
  ])
  return { balanceWei, minedIn, standing: standing && { amounts: standing, blockNumber, holdsAll: true } }
}

async function quietly({ engine, call }: Reserved, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await onStorage(what, work)
  } catch (error) {
    engine.log.error('settle.unrecorded', { requestId: call.requestId, what, error })
  }
}
