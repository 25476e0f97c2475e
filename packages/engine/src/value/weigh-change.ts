import { larger } from '@svc/lp-math'
import { zeroAddress } from 'viem'
import {
  bandWidthBps,
  type Edge,
  type Holdings,
  isFedAlone,
  tokensIn,
  type TrustedPrice,
  type TrustedPrices,
  valueAt,
} from './trusted-value.ts'

/**
 * Weighs what leaves a wallet against what arrives, at trusted prices, in every outcome that the calldata of each call permits.
 * Both sides are valued at the same edge of every band: the edge at which the larger share is lost. Feeds that stand alone may be
 * wrong in opposite directions: where they are, a call may lose what its outermost bound says. What is lost where feeds lie apart, pools
 * beside them or not, is what counts in a day. A token without a trusted price arrives as nothing, and the shortfall is then speculation. Where only the current price of a token is known, all that
 * leaves is a cold start. Both have budgets of their own.
 */
export function weighChange(change: WeighedChange): ValueVerdict {
  const { moved, prices } = change
  const groups = groupsOf(moved).map((group) => weighGroup(group, change))
  const [first = nothing] = groups
  const worse = groups.reduce((one, other) => (excess(other) > excess(one) ? other : one), first)
  const whole = weighAt(moved.whole, prices, 'mid')
  const { worst, allowedBps } = worse
  return {
    ...whole,
    lossUsdMicros: mostOf(groups, ({ lossUsdMicros }) => lossUsdMicros),
    worst: { outUsdMicros: worst.outUsdMicros, inUsdMicros: worst.inUsdMicros },
    leastInUsdMicros: moved.areTradesAlone ? leastOfTrades(whole, moved, prices) : leastArriving(whole, groups),
    lossBps: lossBps(worst),
    allowedBps,
    bandBps: widestBps(outcomesIn(moved), prices),
    isWithin: groups.every(({ isWithin }) => isWithin),
    speculativeUsdMicros: mostOf(groups, ({ speculativeUsdMicros }) => speculativeUsdMicros),
    coldUsdMicros: mostOf(groups, ({ coldUsdMicros }) => coldUsdMicros),
  }
}

/**
 * What arrives of the whole at worst, in the middle of every band as what is simulated, so that the two can be compared: what is simulated
 * less the most that each call can lose, of one call only what that is beyond its loss as simulated. A call may do more than
 * trade or deposit, so what arrives in its worst outcome need not be all that arrives.
 */
function leastArriving(whole: Weighing, [only, ...calls]: readonly Weighed[]): bigint {
  const simulated = whole.inUsdMicros
  if (calls.length === 0) {
    const beyond = lostIn(only?.worstInMiddle ?? whole) - larger(lostIn(whole), 0n)
    return larger(simulated - larger(beyond, 0n), 0n)
  }
  const lost = calls.reduce((sum, { worstInMiddle }) => sum + larger(lostIn(worstInMiddle), 0n), 0n)
  return larger(simulated - lost, 0n)
}

/** The same where trades alone move something: of what a pool pays above the market nothing is sure but what the calldata asks for. */
function leastOfTrades(whole: Weighing, { calls }: MovedOutcomes, prices: TrustedPrices): bigint {
  const lost = calls.flatMap(({ outcomes }) => outcomes.map((trade) => lostIn(weighAt(trade, prices, 'mid'))))
  const beyond = lost.reduce((sum, one) => sum + one, -lostIn(whole))
  return larger(whole.inUsdMicros - larger(beyond, 0n), 0n)
}

/** Every outcome, as simulated first. */
export function outcomesIn({ whole, calls }: MovedOutcomes): readonly Outcome[] {
  return [whole, ...calls.flatMap(({ outcomes }) => outcomes)]
}

/** The lowest fee of all calls: the loss that fees excuse for the whole. */
export function feeBpsOf({ calls }: MovedOutcomes): number {
  return calls.length === 0 ? 0 : Math.min(...calls.map(({ feeBps }) => feeBps))
}

/** Of several calls each is weighed by itself, and all of them together; a single call is the whole. */
function groupsOf(moved: MovedOutcomes): readonly CallOutcomes[] {
  const { whole, calls } = moved
  const [only] = calls
  if (only !== undefined && calls.length === 1) return [{ ...only, outcomes: [whole, ...only.outcomes] }]
  return [{ feeBps: feeBpsOf(moved), outcomes: [whole] }, ...calls]
}

function weighGroup({ outcomes, feeBps }: CallOutcomes, change: WeighedChange): Weighed {
  const { prices, isUnnamed, bounds, isOwnMove, wrappedNative } = change
  const edges: readonly Edge[] = ['low', 'high']
  const weighed = outcomes.flatMap((outcome) => edges.map((edge) => weighAt(outcome, prices, edge)))
  const [first = nothing.worst, ...rest] = weighed
  const allowedBps = allowance(bounds, feeBps, widestBps(outcomes, prices))
  const beyond = weighed.filter((one) => !isAllowed(one, allowedBps))
  const isSpeculative = outcomes.some(({ arrives }) => [...tokensIn(arrives)].some(isUnnamed))
  const middle = outcomes.map((outcome) => weighAt(outcome, prices, 'mid'))
  const apart = outcomes.flatMap((outcome) =>
    weighApart(outcome, prices, { mayLieApart: isOwnMove ? isBand : isFed, wrappedNative }),
  )
  const alone = outcomes.flatMap((outcome) => weighApart(outcome, prices, { mayLieApart: isFedAlone, wrappedNative }))
  const outermostBps = Math.max(bounds.mostLossBps, bounds.maxLossBps)
  const beyondAll = alone.filter((one) => !isAllowed(one, outermostBps))
  return {
    worst: worstOf(
      beyond.length > 0 ? beyond : beyondAll.length > 0 ? beyondAll : rest,
      beyond[0] ?? beyondAll[0] ?? first,
    ),
    worstInMiddle: worstOf(middle, middle[0] ?? nothing.worst),
    allowedBps,
    isWithin: beyond.length + beyondAll.length === 0 || isSpeculative,
    lossUsdMicros: isSpeculative ? 0n : [...middle, ...apart].map(lostIn).reduce(larger, 0n),
    speculativeUsdMicros: isSpeculative ? weighed.map(lostIn).reduce(larger, 0n) : 0n,
    coldUsdMicros: isCold(outcomes, prices) ? mostLeaving(outcomes, prices) : 0n,
  }
}

/** The one that loses the largest share. */
function worstOf(weighed: readonly Weighing[], first: Weighing): Weighing {
  return weighed.reduce((most, one) => (lossBps(one) > lossBps(most) ? one : most), first)
}

/** What an outcome loses as a day counts it: in the middle of every band, or more where feeds lie apart. */
export function mostLost(outcome: Outcome, prices: TrustedPrices, wrappedNative: string): bigint {
  return [weighAt(outcome, prices, 'mid'), ...weighApart(outcome, prices, { mayLieApart: isFed, wrappedNative })]
    .map(lostIn)
    .reduce(larger, 0n)
}

function weighApart(outcome: Outcome, prices: TrustedPrices, which: Apart): readonly Weighing[] {
  return pricesApart(outcome, prices, which).map((view) => weighAt(outcome, view, 'mid'))
}

type OfPrice = (price: TrustedPrice) => boolean

type Apart = { readonly mayLieApart: OfPrice; readonly wrappedNative: string }

/** A feed may be off by all of its band, whatever a pool beside it says: two of them in opposite directions. */
const isFed: OfPrice = ({ basis }) => basis === 'feed'

const isBand: OfPrice = ({ basis }) => basis !== 'cold'

/**
 * The prices at which these tokens lie each at one end of its band, in every combination; nothing where fewer than two are moved. Of
 * more than four tokens those of the widest bands, for the others hardly matter beside them.
 */
function pricesApart(outcome: Outcome, prices: TrustedPrices, which: Apart): readonly TrustedPrices[] {
  const { mayLieApart, wrappedNative } = which
  // Native currency and its wrapped form have one price.
  const priceOf = (token: string) => (token === zeroAddress ? wrappedNative : token)
  const moved = new Map(tokensOf([outcome]).map((token) => [priceOf(token), token]))
  const those = [...moved].flatMap(([token, named]) => {
    const price = prices(named)
    return price !== null && mayLieApart(price) ? [{ token, price }] : []
  })
  if (those.length < 2) return []
  const widest = those.toSorted((one, other) => bandWidthBps(other.price) - bandWidthBps(one.price)).slice(0, mostApart)
  return Array.from({ length: 2 ** widest.length }, (_view, choice): TrustedPrices => {
    const ends = new Map(
      widest.map(({ token, price }, index) => {
        const midE18 = (choice >> index) % 2 === 0 ? price.lowE18 : price.highE18
        return [token, { ...price, midE18 }] as const
      }),
    )
    return (token) => ends.get(priceOf(token)) ?? prices(token)
  })
}

const mostApart = 4

function isAllowed({ outUsdMicros, inUsdMicros }: Weighing, allowedBps: number): boolean {
  const shortfall = outUsdMicros - inUsdMicros
  return shortfall * 10_000n <= outUsdMicros * BigInt(allowedBps) || shortfall <= dustUsdMicros
}

type Weighed = Pick<
  ValueVerdict,
  'allowedBps' | 'isWithin' | 'lossUsdMicros' | 'speculativeUsdMicros' | 'coldUsdMicros'
> & { readonly worst: Weighing; readonly worstInMiddle: Weighing }

/** By how much a group is beyond what it may lose, to name the worst. */
function excess({ worst, allowedBps, isWithin }: Weighed): number {
  return lossBps(worst) - allowedBps + (isWithin ? 0 : 10_000)
}

/** Of the whole, and of all calls together, the larger. */
function mostOf([whole, ...calls]: readonly Weighed[], of: (one: Weighed) => bigint): bigint {
  return larger(
    whole === undefined ? 0n : of(whole),
    calls.map(of).reduce((sum, one) => sum + one, 0n),
  )
}

export type WeighedChange = {
  readonly moved: MovedOutcomes
  readonly prices: TrustedPrices
  /** Whether nobody has named a source for the price of a token. */
  readonly isUnnamed: (token: string) => boolean
  readonly bounds: LossBounds
  /**
   * Whether own liquidity is moved within its pool. That is no spend and no limit bounds how much it is, so that a day counts what it
   * loses wherever in their bands the prices lie, and not in their middle alone.
   */
  readonly isOwnMove: boolean
  /** Lower case. */
  readonly wrappedNative: string
}

export type MovedOutcomes = {
  /** All that is moved on balance, as simulated. */
  readonly whole: Outcome
  /** Of each call that trades or deposits. */
  readonly calls: readonly CallOutcomes[]
  /** Whether calls that trade and do nothing else move all of it. */
  readonly areTradesAlone: boolean
}

export type CallOutcomes = {
  /** What the pools themselves take of a trade. */
  readonly feeBps: number
  /** What the calldata permits. */
  readonly outcomes: readonly Outcome[]
}

export type Outcome = { readonly leaves: Holdings; readonly arrives: Holdings }

export type LossBounds = {
  readonly maxLossBps: number
  /** Fee and width of the bands excuse a loss up to this in all. */
  readonly mostLossBps: number
}

export type ValueVerdict = {
  /** As simulated, in the middle of every band. Millionths of a US dollar, as all below. */
  readonly outUsdMicros: bigint
  readonly inUsdMicros: bigint
  /** The most that an outcome loses in the middle of every band; what a day's losses are counted with. */
  readonly lossUsdMicros: bigint
  /** The outcome and edge that lose the largest share. */
  readonly worst: { readonly outUsdMicros: bigint; readonly inUsdMicros: bigint }
  /** What arrives of the whole in the worst outcomes of all its calls, in the middle of every band. */
  readonly leastInUsdMicros: bigint
  readonly lossBps: number
  readonly allowedBps: number
  readonly bandBps: number
  readonly isWithin: boolean
  readonly speculativeUsdMicros: bigint
  readonly coldUsdMicros: bigint
}

/** One cent: rounding, and sums that nobody would miss. The losses of a day count them all the same. */
const dustUsdMicros = 10_000n

type Weighing = { readonly outUsdMicros: bigint; readonly inUsdMicros: bigint }

const nothing: Weighed = {
  worst: { outUsdMicros: 0n, inUsdMicros: 0n },
  worstInMiddle: { outUsdMicros: 0n, inUsdMicros: 0n },
  allowedBps: 0,
  isWithin: true,
  lossUsdMicros: 0n,
  speculativeUsdMicros: 0n,
  coldUsdMicros: 0n,
}

function lostIn({ outUsdMicros, inUsdMicros }: Weighing): bigint {
  return outUsdMicros - inUsdMicros
}

function weighAt({ leaves, arrives }: Outcome, prices: TrustedPrices, edge: Edge): Weighing {
  return { outUsdMicros: valueAt(leaves, prices, edge, 'leaves'), inUsdMicros: valueAt(arrives, prices, edge) }
}

function lossBps({ outUsdMicros, inUsdMicros }: Weighing): number {
  if (inUsdMicros >= outUsdMicros) return 0
  return Number(((outUsdMicros - inUsdMicros) * 10_000n + outUsdMicros - 1n) / outUsdMicros)
}

function allowance({ maxLossBps, mostLossBps }: LossBounds, feeBps: number, bandBps: number): number {
  return Math.floor(Math.min(maxLossBps + feeBps + bandBps, Math.max(mostLossBps, maxLossBps)))
}

/** Of a cold token the edges are not used, so its width excuses nothing. */
function widestBps(outcomes: readonly Outcome[], prices: TrustedPrices): number {
  return tokensOf(outcomes).reduce((widest, token) => {
    const price = prices(token)
    return price === null || price.basis === 'cold' ? widest : Math.max(widest, bandWidthBps(price))
  }, 0)
}

function isCold(outcomes: readonly Outcome[], prices: TrustedPrices): boolean {
  return tokensOf(outcomes).some((token) => prices(token)?.basis === 'cold')
}

/** As limits count it: at the high edge, which reaches up to earlier prices, and not at the estimate. */
function mostLeaving(outcomes: readonly Outcome[], prices: TrustedPrices): bigint {
  const byEdges: TrustedPrices = (token) => {
    const price = prices(token)
    return price?.basis === 'cold' ? { ...price, basis: 'pools' } : price
  }
  return outcomes.reduce((most, { leaves }) => larger(most, valueAt(leaves, byEdges, 'high', 'leaves')), 0n)
}

function tokensOf(outcomes: readonly Outcome[]): readonly string[] {
  return [...new Set(outcomes.flatMap(({ leaves, arrives }) => [...tokensIn(leaves), ...tokensIn(arrives)]))]
}
