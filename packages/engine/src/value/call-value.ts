import type { Hex } from 'viem'
import { type Intent, isUnnamed } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { sumByToken, usdText } from '../call/amounts.ts'
import { type MovedPositions, type PricedTokens, spendsNothing, usdOf } from './spend-value.ts'
import type { Step } from '../call/step.ts'
import type { CallBounds } from '../calldata/call-bounds.ts'
import { offMarketRefusals, orderRefusals, orderWarnings } from './deposit-price.ts'
import { heldOf, lentTo, type Moved } from './moved.ts'
import { outcomesOf } from './moved-holdings.ts'
import { ownMoveOf } from './own-move.ts'
import { simulatedDeposit } from './simulated-deposit.ts'
import { tokensIn, type TrustedPrices, valueAt } from './trusted-value.ts'
import {
  type ValueBounds,
  valueBounds,
  coldRefusals,
  impactRefusals,
  lockedRefusals,
  lossRefusals,
  priceRefusals,
} from './value-refusals.ts'
import { homeOf, isSureHome } from './way-home.ts'
import { feeBpsOf, type Outcome, outcomesIn, type ValueVerdict, weighChange } from './weigh-change.ts'

/**
 * Values a call by its simulation and its calldata, at prices of named sources.
 *
 * @param firstStep where the simulation begins: a later step once some are mined
 */
export function valueOfCall(
  context: ValuedCall,
  simulation: ValuedSimulation,
  priced: PricedTokens,
  firstStep = 0,
): CallValue {
  const { engine, call, chain, intent } = context
  const calls = firstStep === 0 ? context.callBounds : boundsFrom(context, firstStep)
  const moved = movedBy(simulation, calls, priced, context)
  const prices = trustedPrices(priced)
  const outcomes = outcomesOf(moved, prices)
  const pools = poolsOf(moved)
  const limits = valueBounds(engine.policy, chain.id, [call.tool, ...(intent.tools ?? [])], pools)
  const ownMove = ownMoveOf(intent, moved)
  const verdict = weighChange({
    moved: outcomes,
    prices,
    isUnnamed: (token) => isUnnamed(priced.get(token)?.doubt),
    bounds: limits,
    isOwnMove: ownMove !== null,
    wrappedNative: moved.wrappedNative,
  })
  const simulated = outcomes.whole
  const declared = { leaves: heldOf(sumByToken(intent.spends), moved), arrives: heldOf(new Map(), moved) }
  const permitted = [...outcomesIn(outcomes), declared]
  // A rebalance brings nothing home, though a strategy may give something on the way.
  const isExit =
    outcomes.calls.length === 0 &&
    calls.every(({ rebalances }) => rebalances.length === 0) &&
    simulation.paid.size === 0 &&
    spendsNothing(intent, simulation.deltas, priced)
  const facts = {
    ...verdict,
    ...movedPositions(simulated, prices),
    lent: lentTo(moved, intent.slippageBps),
    isExit,
    homeUsdMicros: isExit ? homeOf(intent, simulated, moved, prices) : 0n,
    isSureHome: isExit && isSureHome(simulated, moved, prices),
    ownMove,
    priceImpactBps: priceImpact(verdict, simulated, prices, calls, feeBpsOf(outcomes)),
    bounds: limits,
    pools,
    simulated,
    permitted,
  }
  const symbolOf = (token: string) => priced.get(token.toLowerCase())?.token.symbol ?? token
  const locked = lockedRefusals(moved)
  const found = isExit
    ? []
    : [
        ...priceRefusals(outcomesIn(outcomes), priced, engine.policy.maxPriceBandBps),
        ...coldRefusals(permitted, priced),
        ...offMarketRefusals({ moved, prices, limits, intent, symbolOf }),
        ...orderRefusals({ moved, prices, limits, symbolOf }),
        ...impactRefusals(facts),
        // What nobody can measure is not lost beside that.
        ...(locked.length > 0 ? locked : lossRefusals(facts, priced)),
      ]
  const ordered = orderWarnings(calls)
  // An order has no least: it is sold at whatever its pool pays by then; nor has what shares of a vault bring.
  const isOpen = ordered.length > 0 || calls.some(({ leaves }) => leaves.length > 0)
  const leastInUsdMicros = isOpen ? 0n : facts.leastInUsdMicros
  return { ...facts, leastInUsdMicros, warnings: [...warningsOf(facts), ...ordered], refusals: found }
}

/** What a call comes to in value, as its simulation and its calldata say. */
export type CallValue = ValueVerdict &
  MovedPositions & {
    /**
     * How much worse than the trusted price a trade is, the pools' own fees left out, in hundredths of a percent; `null`
     * where nothing is traded or a price is missing.
     */
    readonly priceImpactBps: number | null
    /** Worth of what a call which spends nothing brings for sure, at the low edge of trusted prices; 0 of every other call. */
    readonly homeUsdMicros: bigint
    /** Whether no stranger can keep that from coming. */
    readonly isSureHome: boolean
    readonly bounds: ValueBounds
    /** Pools that the call trades in or deposits into. */
    readonly pools: readonly Hex[]
    /** The outcome as simulated. */
    readonly simulated: Outcome
    /** Every outcome that the calldata permits, as simulated first, and all that the intent declares to spend. */
    readonly permitted: readonly Outcome[]
    /** What a person should know though nothing stands against it. */
    readonly warnings: readonly string[]
    readonly refusals: readonly Refusal[]
  }

/**
 * Whether the whole intent moves own liquidity, and what it spends by that: `done` is what is mined of it, `rest` the simulation of what is
 * still to come from `firstStep` on.
 */
export function ownMoveOfIntent(
  context: ValuedCall,
  {
    rest,
    done,
    firstStep,
  }: { readonly rest: ValuedSimulation; readonly done: Moved['deltas']; readonly firstStep: number },
  priced: PricedTokens,
): MovedPositions['ownMove'] {
  const moved = movedBy(rest, context.callBounds, priced, context)
  const left = firstStep === 0 ? context.callBounds : boundsFrom(context, firstStep)
  // What was collected is among what is done.
  const isBegun = left.length < context.callBounds.length
  const settledFees = isBegun && moved.settledFees !== undefined ? new Map() : moved.settledFees
  return ownMoveOf(context.intent, { ...moved, settledFees, begun: { deltas: done, left } })
}

/** What is read of a call on the pipeline to value it. */
export type ValuedCall = {
  readonly chain: Chain
  readonly intent: Intent
  readonly callBounds: readonly CallBounds[]
  readonly engine: { readonly policy: Policy }
  readonly call: { readonly tool: string }
  readonly steps: readonly Pick<Step, 'kind' | 'batch'>[]
  readonly settledFees?: Moved['settledFees']
}

export type ValuedSimulation = Pick<Simulation, 'inspected' | 'deltas' | 'paid'>

/** Of the calls that are still to be made. */
function boundsFrom(
  { steps, callBounds, intent }: Pick<ValuedCall, 'steps' | 'callBounds' | 'intent'>,
  firstStep: number,
): readonly CallBounds[] {
  const calls = steps.slice(firstStep).filter(({ kind }) => kind === 'call').length
  // An order is signed behind all steps.
  const left = intent.order === undefined ? calls : calls + 1
  return callBounds.slice(callBounds.length - left)
}

function movedPositions(
  { leaves, arrives }: Outcome,
  prices: TrustedPrices,
): Pick<MovedPositions, 'leavingUsdMicros' | 'arrivingUsdMicros'> {
  const worth = ({ positions, shares }: Outcome['leaves']) =>
    valueAt({ tokens: new Map(), positions, shares }, prices, 'high')
  return { leavingUsdMicros: worth({ ...leaves, shares: [] }), arrivingUsdMicros: worth(arrives) }
}

function movedBy(
  { inspected, deltas, paid }: ValuedSimulation,
  calls: readonly CallBounds[],
  priced: PricedTokens,
  { chain, settledFees }: Pick<ValuedCall, 'chain' | 'settledFees'>,
): Moved {
  const pairs = new Map(
    [...priced].flatMap(([key, { pair }]) => {
      if (pair === null) return []
      const [one, other] = pair.sides
      if (one === undefined || other === undefined) return []
      const tokens = { token0: one.token.toLowerCase(), token1: other.token.toLowerCase() }
      const held = { reserve0: one.reserve, reserve1: other.reserve, burnSupply: pair.burnSupply }
      return [[key, { pair: key, ...tokens, ...held }] as const]
    }),
  )
  return {
    calls,
    inspected,
    deltas,
    paid,
    pairs,
    wrappedNative: chain.wrappedNative.address.toLowerCase(),
    settledFees,
  }
}

function poolsOf(moved: Moved): readonly Hex[] {
  const used = moved.calls.flatMap(({ trades, orders, deposits }) => [
    ...trades.flatMap(({ pools }) => pools),
    ...orders.map(({ pool }) => pool.id),
    ...deposits.flatMap((bounds) => simulatedDeposit(bounds, moved).pool?.id ?? []),
  ])
  return [...new Set(used)]
}

/** What value is counted with: bands of named sources alone. */
export function trustedPrices(priced: PricedTokens): TrustedPrices {
  return (token) => {
    const entry = priced.get(token)
    return entry?.band == null ? null : { ...entry.band, decimals: entry.token.decimals }
  }
}

type Facts = Omit<CallValue, 'warnings' | 'refusals'>

type WarnedFacts = Pick<Facts, 'priceImpactBps' | 'speculativeUsdMicros' | 'coldUsdMicros'> & {
  readonly bounds: Pick<ValueBounds, 'maxPriceImpactBps'>
}

/** `null` where nothing is traded for something, or a deposit hides what the trade came to. */
function priceImpact(
  { outUsdMicros, inUsdMicros }: ValueVerdict,
  { leaves, arrives }: Outcome,
  prices: TrustedPrices,
  calls: readonly CallBounds[],
  feeBps: number,
): number | null {
  const tokens = [...tokensIn(leaves), ...tokensIn(arrives)]
  const sells = calls.some(({ trades, orders }) => trades.length + orders.length > 0)
  const isTrade = sells && calls.every(({ deposits }) => deposits.length === 0)
  if (!isTrade || outUsdMicros === 0n) return null
  if (tokens.some((token) => prices(token) === null)) return null
  const impact = Number(((outUsdMicros - inUsdMicros) * 10_000n) / outUsdMicros) - feeBps
  return Math.round(impact)
}

/**
 * What the intent itself has to say, and what its gas and what it leaves in the wallet make of it; before it with the gas as estimated and
 * the changes as simulated, afterwards as paid and mined.
 */
export function costWarnings(
  { intent, value, priced }: CostContext,
  gasCostUsd: number | null,
  deltas: ReadonlyMap<string, bigint>,
): readonly string[] {
  const { earnsBack, keepsBack } = intent
  const notes = [...(keepsBack === undefined ? [] : keptBack(keepsBack, deltas, priced)), ...(intent.notes ?? [])]
  const sentence = earnsBack === undefined || gasCostUsd === null ? [] : [earnedBack(earnsBack, gasCostUsd)]
  return [...notes, ...sentence, ...gasWarnings(value, gasCostUsd)]
}

type CostContext = {
  readonly intent: Pick<Intent, 'notes' | 'earnsBack' | 'keepsBack'>
  readonly value: GasFacts
  readonly priced: PricedTokens
}

/** What a move leaves in the wallet, where it is more than hardly anything. A swap in a thin pool moves its price, and then the new range takes less than was planned. */
function keptBack(
  { tokens, ofUsd }: NonNullable<Intent['keepsBack']>,
  deltas: ReadonlyMap<string, bigint>,
  priced: PricedTokens,
): readonly string[] {
  const kept = tokens.map((token) => usdOf(token, deltas.get(token.toLowerCase()) ?? 0n, priced) ?? 0)
  const restUsd = kept.reduce((sum, usd) => sum + Math.max(0, usd), 0)
  if (!(restUsd > 0.005 * ofUsd)) return []
  const pct = Math.max(1, Math.round((100 * restUsd) / ofUsd))
  return [
    `About ${pct} % of what the position pays, ${Number(restUsd.toPrecision(2))} USD, stays in the wallet: kept back so that opening does not fail where the price has moved since closing. increase_liquidity adds of it what fits.`,
  ]
}

function earnedBack({ costUsd, moreUsdPerDay }: NonNullable<Intent['earnsBack']>, gasCostUsd: number): string {
  const [cost, daily] = [costUsd + gasCostUsd, Math.abs(moreUsdPerDay)]
  const costs = `Gas and swap cost ${cost.toFixed(2)} USD`
  if (moreUsdPerDay === 0) return `${costs}: never earned back, for the new range earns no more.`
  if (moreUsdPerDay < 0)
    return `${costs}: never earned back, for the new range earns ${daily.toFixed(2)} USD a day less.`
  const days = cost / daily
  const when = days < 1 ? 'within a day' : `in ${Number(days.toPrecision(3))} days`
  return `${costs}: earned back ${when} by the ${daily.toFixed(2)} USD a day that it earns more.`
}

type GasFacts = Pick<CallValue, 'isExit' | 'outUsdMicros' | 'inUsdMicros'>

/** Both figures where a call that spends nothing, as one that collects, brings less than its gas costs. */
export function gasWarnings({ isExit, outUsdMicros, inUsdMicros }: GasFacts, gasCostUsd: number | null): string[] {
  const bringsUsd = Number(inUsdMicros) / 1e6
  const onlyBrings = isExit || outUsdMicros === 0n
  if (!onlyBrings || gasCostUsd === null || bringsUsd === 0 || gasCostUsd <= bringsUsd) return []
  const [gas, brings] = [gasCostUsd, bringsUsd].map((usd) => (usd < 0.01 ? 'less than 0.01' : usd.toFixed(2)))
  return [`Gas of ${gas} USD is more than what the call brings, ${brings} USD.`]
}

/** What a person should know of a call that is not refused; price impact from a third of what is allowed on. */
export function warningsOf(facts: WarnedFacts): readonly string[] {
  const { priceImpactBps, bounds, speculativeUsdMicros, coldUsdMicros } = facts
  const impact =
    priceImpactBps !== null && priceImpactBps * 3 >= bounds.maxPriceImpactBps
      ? [`The trade is ${priceImpactBps} bps worse than the market price, the pools' fees left out.`]
      : []
  const speculative =
    speculativeUsdMicros > 0n
      ? [`${usdText(speculativeUsdMicros)} USD buy tokens without a named price source; they count as worth nothing.`]
      : []
  const cold =
    coldUsdMicros > 0n
      ? ['Only the current price of a token is known: nothing remembers what it was worth before.']
      : []
  return [...impact, ...speculative, ...cold]
}
