import { bandWidthBps, type Edge, type Holdings, tokensIn, type TrustedPrices, valueAt } from './trusted-value.ts'

/**
 * Weighs what leaves a wallet against what arrives, at trusted prices: both from the same edge of every band, at the edge
 * where the loss is the larger share, in every outcome that the calldata permits. What arrives of tokens without a trusted
 * price counts as nothing; where something of them arrives the shortfall is speculation, and where prices of the moment
 * alone are known of a token the whole of what leaves is a cold start. Both have budgets of their own.
 */
export function weighChange({ outcomes, prices, isUnnamed, feeBps, bounds }: WeighedChange): ValueVerdict {
  const edges: readonly Edge[] = ['low', 'high']
  const weighed = outcomes.flatMap((outcome) => edges.map((edge) => weighAt(outcome, prices, edge)))
  const worst = weighed.reduce((most, one) => (lossBps(one) > lossBps(most) ? one : most), nothing)
  const middle = outcomes.map((outcome) => weighAt(outcome, prices, 'mid'))
  const { outUsdMicros, inUsdMicros } = middle[0] ?? nothing
  const lossUsdMicros = middle.reduce((most, one) => larger(most, one.outUsdMicros - one.inUsdMicros), 0n)
  const bandBps = widestBps(outcomes, prices)
  const allowedBps = allowance(bounds, feeBps, bandBps)
  const shortfall = worst.outUsdMicros - worst.inUsdMicros
  const isWithin = shortfall * 10_000n <= worst.outUsdMicros * BigInt(allowedBps) || shortfall <= dustUsdMicros
  const isSpeculative = outcomes.some(({ arrives }) => [...tokensIn(arrives)].some(isUnnamed))
  return {
    outUsdMicros,
    inUsdMicros,
    lossUsdMicros: isSpeculative ? 0n : lossUsdMicros,
    worst: { outUsdMicros: worst.outUsdMicros, inUsdMicros: worst.inUsdMicros },
    lossBps: lossBps(worst),
    allowedBps,
    bandBps,
    isWithin: isWithin || isSpeculative,
    speculativeUsdMicros: isSpeculative ? larger(shortfall, 0n) : 0n,
    coldUsdMicros: isCold(outcomes, prices) ? mostLeaving(outcomes, prices) : 0n,
  }
}

export type WeighedChange = {
  /** As simulated first, then what else the calldata permits. */
  readonly outcomes: readonly Outcome[]
  readonly prices: TrustedPrices
  /** Whether nobody has named a source for the price of a token. */
  readonly isUnnamed: (token: string) => boolean
  /** What the pools themselves take of a trade. */
  readonly feeBps: number
  readonly bounds: LossBounds
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
  readonly lossBps: number
  readonly allowedBps: number
  readonly bandBps: number
  readonly isWithin: boolean
  readonly speculativeUsdMicros: bigint
  readonly coldUsdMicros: bigint
}

/** Rounding, and sums that nobody would miss; a day's losses count it all the same. One cent. */
const dustUsdMicros = 10_000n

type Weighing = { readonly outUsdMicros: bigint; readonly inUsdMicros: bigint }

const nothing: Weighing = { outUsdMicros: 0n, inUsdMicros: 0n }

function weighAt({ leaves, arrives }: Outcome, prices: TrustedPrices, edge: Edge): Weighing {
  return { outUsdMicros: valueAt(leaves, prices, edge), inUsdMicros: valueAt(arrives, prices, edge) }
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

/** As the limits count it: at the high edge, which reaches up to what the price was before, and not by the estimate. */
function mostLeaving(outcomes: readonly Outcome[], prices: TrustedPrices): bigint {
  const byEdges: TrustedPrices = (token) => {
    const price = prices(token)
    return price?.basis === 'cold' ? { ...price, basis: 'pools' } : price
  }
  return outcomes.reduce((most, { leaves }) => larger(most, valueAt(leaves, byEdges, 'high')), 0n)
}

function tokensOf(outcomes: readonly Outcome[]): readonly string[] {
  return [...new Set(outcomes.flatMap(({ leaves, arrives }) => [...tokensIn(leaves), ...tokensIn(arrives)]))]
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
