import type { BudgetAmount } from '@svc/store'
import { v2PairAbi } from '@svc/amm/abis'
import { getAddress, isAddressEqual, type Log, parseEventLogs, zeroAddress } from 'viem'
import { callsOf } from '../batch/batch-step.ts'
import type { Progress } from '../context/execution-context.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { asGivenBack, asRedeemed } from '../simulation/inspect-vaults.ts'
import { lossAbove, noneOf } from '../spending/spend-limit.ts'
import { countable } from '../spending/countable.ts'
import { lostBy, tokensOf } from '../value/mined-loss.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import { budgetNames } from '../spending/budgets.ts'
import type { StandingPair } from '../value/pair-worth.ts'
import { isSpending, noBounds } from '../calldata/call-bounds.ts'
import { type PairShares, type TrustedPrices, valueAt } from '../value/trusted-value.ts'
import { mostLost, type Outcome } from '../value/weigh-change.ts'
import type { Reserved } from './reserve-spend.ts'
import { trustedPrices } from '../value/call-value.ts'

/**
 * What is known of what a call took out of budgets: nothing where no call of it was mined that trades, deposits or orders, as where a
 * stranger pushed the pool past its minimums; what positions paid out was the owner's, and of shares that went back to their vault only what
 * came short of the simulation is lost. Of one that was cut off later on its way, what the trades lost that were mined of it. What is not
 * named here counts as reserved.
 */
export function budgetsUsed(
  context: Reserved,
  progress: Progress,
  deltas: ReadonlyMap<string, bigint>,
  outcome: Outcome | null = null,
): readonly BudgetAmount[] {
  const made = callsMade(progress)
  if (!context.callBounds.slice(0, made).some(isSpending)) return lostByLeaving(context, deltas, progress)
  return made < context.intent.calls.length
    ? lossOfTrades(context, progress, made)
    : lossOf(context, deltas, progress, outcome)
}

/** Nothing, but what shares that went back to their vaults brought less than in the simulation. */
function lostByLeaving(
  { callBounds, simulation, intent, spend, chain }: Reserved,
  deltas: ReadonlyMap<string, bigint>,
  { reserved, priced }: Progress,
): readonly BudgetAmount[] {
  const none = noneOf([...spend.budgets, ...reserved.budgets])
  const vaults = callBounds.flatMap(({ leaves }) => leaves.map(({ vault }) => vault))
  if (vaults.length === 0) return none
  const own = asGivenBack(deltas, vaults, { simulation, intent })
  const lost = lossAbove([], lostBy(own, priced, chain.wrappedNative.address))
  return lost.length === 0 ? none : [...none.filter(({ name }) => name !== budgetNames.loss), ...lost]
}

/**
 * What trades have lost, each by the logs of its own transaction. Of native currency these show less arriving than did, so that they raise
 * nothing where some was bought. Where a deposit or
 * an order is among what was made, or somebody else was paid, what was reserved stands.
 */
function lossOfTrades(
  { value, simulation, callBounds, wallet, chain, spend }: Reserved,
  { mined, priced }: Progress,
  made: number,
): readonly BudgetAmount[] {
  const isTraded = callBounds.slice(0, made).every((bounds) => !isSpending({ ...bounds, trades: [] }))
  if (!isTraded || simulation.paid.size > 0 || value.speculativeUsdMicros > 0n) return []
  const own = { wallet, wrappedNative: chain.wrappedNative.address }
  const calls = mined.filter(({ step }) => step.kind === 'call')
  let isNativeBought = false
  const losses = calls.map(({ step, receipt }, index) => {
    const { trades, brings } = callBounds[index] ?? noBounds
    if (trades.length === 0) return 0n
    const deltas = new Map(assetChanges([receipt.logs], own).deltas)
    deltas.set(zeroAddress, (deltas.get(zeroAddress) ?? 0n) - step.valueWei)
    const wrapped = own.wrappedNative.toLowerCase()
    const buysNative = [zeroAddress, wrapped].some((token) => (brings.get(token) ?? 0n) > 0n)
    isNativeBought ||= buysNative && (deltas.get(wrapped) ?? 0n) <= 0n
    return lostBy(deltas, priced, own.wrappedNative)
  })
  const usdMicros = countable(losses.reduce((sum, one) => sum + one, 0n))
  return spend.budgets.flatMap(({ name, usdMicros: most }) =>
    name === budgetNames.loss && (usdMicros < most || !isNativeBought) ? [{ name, usdMicros }] : [],
  )
}

/** How many calls of the intent are mined. */
export function callsMade({ mined }: Progress): number {
  return mined.flatMap(({ step }) => callsOf(step)).filter(({ kind }) => kind === 'call').length
}

/**
 * What a trade or a deposit into a pair really lost takes the place of what it might have; what went into or out of positions
 * stays as reserved, unless it lost more, and so does what an order is worth, and what was paid to somebody the operator lists, who does not show in the wallet's own changes. No less
 * left and no more arrived than simulated: what came meanwhile from elsewhere makes up for no loss.
 */
function lossOf(
  { value, simulation, callBounds, chain }: Reserved,
  deltas: ReadonlyMap<string, bigint>,
  { reserved, priced }: Progress,
  outcome: Outcome | null,
): readonly BudgetAmount[] {
  const prices = trustedPrices(priced)
  const wrappedNative = chain.wrappedNative.address.toLowerCase()
  const { leaves, arrives } = value.simulated
  const hasOrder = callBounds.some(({ orders }) => orders.length > 0)
  const isSettled = leaves.positions.length + arrives.positions.length + leaves.shares.length === 0 && !hasOrder
  if (!isSettled && outcome !== null) {
    return lossAbove(reserved.budgets, mostLost(outcome, prices, wrappedNative))
  }
  if (value.isExit || !isSettled || simulation.paid.size > 0 || value.speculativeUsdMicros > 0n) return []
  const own = asRedeemed(withoutArrivals(deltas, simulation.deltas), simulation.inspected.vaultDeposits)
  const shares = arrives.shares.map((share) => Object.assign({}, share, { amount: own.get(share.pair) ?? 0n }))
  const moved = { leaves: tokensOf(own, -1n), arrives: { ...tokensOf(own, 1n), shares } }
  const lost = mostLost(moved, prices, wrappedNative)
  return [{ name: budgetNames.loss, usdMicros: countable(lost) }]
}

/** Of each token what was simulated, or really less. */
function withoutArrivals(
  deltas: ReadonlyMap<string, bigint>,
  simulated: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  const tokens = new Set([...deltas.keys(), ...simulated.keys()])
  return new Map(
    [...tokens].map((token) => {
      const [real, expected] = [deltas.get(token) ?? 0n, simulated.get(token) ?? 0n]
      return [token, real < expected ? real : expected]
    }),
  )
}

/** Worth of what arrived, in millionths of a US dollar at the low edge of trusted prices. */
export function cameHome(deltas: ReadonlyMap<string, bigint>, priced: PricedTokens): bigint {
  return valueAt(tokensOf(deltas, 1n), trustedPrices(priced), 'low')
}

/**
 * Changes of the wallet in which the shares that a deposit made count as many as would have been worth the same in the pair that was
 * simulated. Who gives to a pair between simulation and block leaves fewer shares of a larger pair, which is no loss. Only where both
 * tokens went in whole, as the pair says itself: what a token kept on the way is lost, however large its pair has become. Where shares
 * of the pair were taken apart before, what was made and paid counts, not what it comes to on balance. Shares are rounded down by less than
 * one, and may have lost as much.
 */
export function sharesAsMade(
  deltas: ReadonlyMap<string, bigint>,
  { simulated, logs, wrappedNative, prices }: MadeShares,
): ReadonlyMap<string, bigint> {
  const counted = new Map(deltas)
  for (const share of simulated) {
    const came = deltas.get(share.pair) ?? 0n
    if (came === share.amount) continue
    const made = madeOf(share, logs)
    if (made === null || came + made.sharesBurnt < made.shares) continue
    const paid = (token: string) => {
      const own = deltas.get(token) ?? 0n
      return -(own === 0n && token === wrappedNative ? (deltas.get(zeroAddress) ?? 0n) : own)
    }
    const [paid0, paid1] = [paid(share.token0) + made.burnt0, paid(share.token1) + made.burnt1]
    if (made.amount0 < paid0 || made.amount1 < paid1) continue
    const [worth, simulatedWorth] = [made.share, { ...share, amount: made.shares }].map((one) =>
      valueAt({ tokens: new Map(), positions: [], shares: [one] }, prices, 'mid'),
    ) as [bigint, bigint]
    const least = (worth * made.shares) / (made.shares + 1n)
    if (simulatedWorth > 0n) counted.set(share.pair, came - made.shares + (made.shares * least) / simulatedWorth)
  }
  return counted
}

type MadeShares = {
  /** Those that arrive in the simulation, in its pairs. */
  readonly simulated: readonly PairShares[]
  /** Of the transactions that were mined. */
  readonly logs: readonly Log[]
  /** Lower case. */
  readonly wrappedNative: string
  readonly prices: TrustedPrices
}

/**
 * Pairs as the burn of their shares saw them, by their own logs: what was given to one before the call was planned may be gone with its
 * block. As read where there is no such log, or more than one.
 */
export function pairsAsBurnt(priced: PricedTokens, logs: readonly Log[]): PricedTokens {
  return new Map([...priced].map(([key, one]) => [key, { ...one, pair: one.pair && asBurnt(one.pair, key, logs) }]))
}

function asBurnt(read: StandingPair, key: string, logs: readonly Log[]): StandingPair {
  const own = logs.filter(({ address }) => address.toLowerCase() === key)
  const events = parseEventLogs({ abi: v2PairAbi, eventName: ['Burn', 'Transfer'], logs: [...own] })
  const burns = events.flatMap((event) => (event.eventName === 'Burn' ? [event.args] : []))
  const [burn] = burns
  // The shares that a burn takes are those that the pair itself holds.
  const taken = events.flatMap((event) =>
    event.eventName === 'Transfer' && event.args.to === zeroAddress && event.args.from.toLowerCase() === key
      ? [event.args.value]
      : [],
  )
  const [burnSupply] = taken
  if (burn === undefined || burns.length > 1 || burnSupply === undefined || taken.length > 1) return read
  const paid = [burn.amount0, burn.amount1]
  return { ...read, burnSupply, sides: read.sides.map((side, index) => ({ ...side, reserve: paid[index] ?? 0n })) }
}

/**
 * What one mint of a pair put in, how many shares it made, and the part of the pair that this is, beside what was burnt; `null` without
 * exactly one, in the form of a pair.
 */
function madeOf(share: PairShares, logs: readonly Log[]) {
  const pair = getAddress(share.pair)
  const own = logs.filter(({ address }) => isAddressEqual(address, pair))
  const events = parseEventLogs({ abi: v2PairAbi, eventName: ['Mint', 'Burn', 'Sync', 'Transfer'], logs: [...own] })
  const at = events.findIndex(({ eventName }) => eventName === 'Mint')
  const [transfer, sync, mint] = at < 2 ? [] : events.slice(at - 2)
  if (mint?.eventName !== 'Mint' || sync?.eventName !== 'Sync' || transfer?.eventName !== 'Transfer') return null
  if (transfer.args.from !== zeroAddress || events.filter(({ eventName }) => eventName === 'Mint').length !== 1)
    return null
  const { amount0, amount1 } = mint.args
  const { reserve0, reserve1 } = sync.args
  const isFirstLess = amount0 * reserve1 <= amount1 * reserve0
  const [amount, burnSupply] = isFirstLess ? [amount0, reserve0] : [amount1, reserve1]
  let [burnt0, burnt1, sharesBurnt] = [0n, 0n, 0n]
  for (const { eventName, args } of events) {
    if (eventName === 'Burn') [burnt0, burnt1] = [burnt0 + args.amount0, burnt1 + args.amount1]
    if (eventName === 'Transfer' && args.to === zeroAddress) sharesBurnt += args.value
  }
  const burnt = { burnt0, burnt1, sharesBurnt }
  const part = { ...share, amount, burnSupply, reserve0, reserve1 }
  return { amount0, amount1, shares: transfer.args.value, share: part, ...burnt }
}
