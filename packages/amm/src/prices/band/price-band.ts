import type { PriceBand, PriceDoubt, PriceWitness, UsdPrice } from '../../ports.ts'
import { type FeedReading, type FeedWitness, feedWitness, lastAnswer, type SequencerReading } from './feed-witness.ts'
import {
  boundJump,
  reachOf,
  type SeenBand,
  clamped,
  e18,
  hullOf,
  isWithin,
  type PriceRange,
  reaching,
} from './price-range.ts'
import {
  type PoolEvidence,
  type PoolWitness,
  poolWitness,
  type SilentPool,
  type SpeakingPool,
  poolEvidence,
  type QuoteWorth,
  type JudgedSources,
  priceWitnesses,
  type WeighedPools,
  weighPools,
} from './price-witnesses.ts'
import type { PoolReading } from './pool-reading.ts'

/** All that the named sources say about the price of a token. */
export type PriceEvidence = {
  /** Unix seconds of the block. */
  readonly atSeconds: number
  /** Whether a dollar is its target price. */
  readonly usdPegged: boolean
  readonly feed: FeedReading | null
  /** Between which prices a person expects it; `null` where none did. */
  readonly expected: PriceRange | null
  /** `null` on a chain without a sequencer's uptime feed. */
  readonly sequencer: SequencerReading | null
  readonly pools: readonly (PoolEvidence | SilentPool)[]
  /** Its own earlier bands. */
  readonly seen: readonly SeenBand[]
  /** US dollars of fees that whoever pushes a pool for a block is presumed to spend. */
  readonly pushBudgetUsd: number
}

/** A band and what it can be used for, or why there is none. */
export type PriceVerdict = {
  readonly band: PriceBand | null
  readonly doubt: PriceDoubt | null
  readonly witnesses: readonly PriceWitness[]
  /** What its middle was taken from. */
  readonly method: UsdPrice['method']
  /** Ids of the pools that count, deepest first. */
  readonly pools: readonly string[]
  /** HIGH: a feed and means of pools, or an undisputed peg, agree within 2 %. LOW: prices of the moment alone. */
  readonly confidence: UsdPrice['confidence']
  /**
   * Whether it may bound later prices: it rests on a feed, or on means that nobody chose the moments of, nothing stretched it, and it is
   * narrow, since a wide one would agree with a push.
   */
  readonly isSettled: boolean
}

/**
 * The price of a token as a band over its named sources. Sources that disagree make it wide; only sources that agree make it
 * narrow, so that moving it costs more than it earns. In integers, except for depths and volatility.
 */
export function priceBand(evidence: PriceEvidence): PriceVerdict {
  const judged = judge(evidence)
  const { said, weighed, range, pegHolds } = judged
  const witnesses = priceWitnesses(judged)
  if (range === null) return unknown('silent', witnesses)
  if (range.lowE18 <= 0n || range.highE18 > absurdE18) return unknown('absurd', witnesses)
  const basis = said !== null || pegHolds ? 'feed' : weighed.deps.length > 0 ? 'pools' : 'cold'
  const midE18 = clamped(said?.midE18 ?? (pegHolds ? e18 : medianOf(weighed)), range)
  const counted = weighed.deps.length > 0 ? weighed.deps : weighed.moments
  const depthUsdMicros = depthOf(counted)
  return {
    band: { ...range, midE18, basis, isAnchored: judged.isAnchored, depthUsdMicros, witnesses },
    doubt: null,
    witnesses,
    method: said !== null ? 'feed' : pegHolds ? 'peg' : weighed.deps.length > 0 ? 'pool_twap' : 'pool_spot',
    pools: counted.toSorted((one, other) => other.depthUsd - one.depthUsd).map(({ row }) => row.id),
    confidence: confidenceOf(basis, pegHolds, said?.midE18 ?? null, weighed.deps),
    isSettled: isSettled(judged, basis),
  }
}

function isSettled({ said, pegHolds, weighed, basic, range }: Judged, basis: PriceBand['basis']): boolean {
  if (basis === 'cold' || range === null || basic === null) return false
  if (range.lowE18 !== basic.lowE18 || range.highE18 !== basic.highE18) return false
  if (said !== null || pegHolds) return true
  return !weighed.deps.some(({ isSummed }) => isSummed) && range.highE18 * 100n <= range.lowE18 * widestSettledPct
}

/** Percent of the low edge: as wide as bands may be where the policy says nothing. */
const widestSettledPct = 110n

type Judged = JudgedSources & {
  /** What the feed says, where it counts. */
  readonly said: SaidByFeed | null
  /** Whether a dollar is the price in the end. */
  readonly pegHolds: boolean
  readonly range: PriceRange | null
  readonly isAnchored: boolean
}

type SaidByFeed = Extract<FeedWitness, { silent: null }>

function judge(evidence: PriceEvidence): Judged {
  const { atSeconds, usdPegged, sequencer, seen } = evidence
  const feed = evidence.feed && { reading: evidence.feed, said: feedWitness(evidence.feed, sequencer, atSeconds) }
  const said = feed?.said.silent === null ? feed.said : null
  const pools = evidence.pools.map((pool) => ('silent' in pool ? pool : poolWitness(pool, evidence.pushBudgetUsd)))
  const weighed = weighPools(said, pools.filter(isSpeaking))
  const proven = hullOf([...(said === null ? [] : [said]), ...weighed.deps])
  const pegCounts = usdPegged && (proven === null || isAtPeg(proven))
  const basic = hullOf([...(proven === null ? [] : [proven]), ...(pegCounts ? [peg] : [])])
  const reached = basic === null ? hullOf(weighed.moments) : weighed.moments.reduce(reaching, basic)
  const pegHolds = pegCounts && reached !== null && isAtPeg(reached)
  const isFree = reached === null || said !== null || pegHolds
  const earlier = [...seen, ...weighed.deps.flatMap(({ before }) => before)]
  const { range, bound } = isFree ? { range: reached, bound: null } : boundJump(reached, earlier, atSeconds)
  return {
    isAnchored: isFree || (range !== null && anchorsOf(evidence).some((anchor) => isWithin(range, anchor))),
    usdPegged,
    pegCounts,
    feed,
    said,
    pools,
    weighed,
    basic,
    pegHolds,
    range,
    bound,
    expected: evidence.expected,
    isFree,
  }
}

/** What holds a price that pools alone say: what a person expects, and where it can have gone since its feed fell silent. */
function anchorsOf({ expected, feed, sequencer, atSeconds }: PriceEvidence): readonly PriceRange[] {
  const last = feed === null ? null : lastAnswer(feed, sequencer, atSeconds)
  const isRecent = last?.silent === null && atSeconds - last.atSeconds <= longestSilenceSeconds
  return [...(expected === null ? [] : [expected]), ...(isRecent ? [reachOf(last, atSeconds)] : [])]
}

/** Beyond the heartbeat of any feed, what it said last says too little. */
const longestSilenceSeconds = 2 * 86_400

/** Whether a dollar token is at its peg: only then is a dollar its price, and only then do pools against it count. */
export function isAtPeg({ lowE18, highE18 }: PriceRange): boolean {
  return lowE18 * 100n >= 98n * e18 && highE18 * 100n <= 102n * e18
}

const peg: PriceRange = { lowE18: e18, highE18: e18 }
/** A billion dollars. No token is worth as much; a source that says so is broken or lies. */
const absurdE18 = 10n ** 27n
/** Share by which feed and pools differ at most for the highest confidence. */
const agreedShare = 0.02

function unknown(doubt: PriceDoubt, witnesses: readonly PriceWitness[]): PriceVerdict {
  return { band: null, doubt, witnesses, method: 'pool_spot', pools: [], confidence: 'LOW', isSettled: false }
}

function isSpeaking(pool: PoolWitness): pool is SpeakingPool {
  return pool.silent === null
}

function confidenceOf(
  basis: PriceBand['basis'],
  pegHolds: boolean,
  feedE18: bigint | null,
  deps: readonly SpeakingPool[],
): PriceVerdict['confidence'] {
  if (basis === 'cold') return 'LOW'
  const againstE18 = feedE18 ?? (pegHolds ? e18 : null)
  if (againstE18 === null || (deps.length === 0 && !pegHolds)) return 'MODERATE'
  const agree = deps.every(({ midE18 }) => Math.abs(Number(midE18) / Number(againstE18) - 1) <= agreedShare)
  return agree ? 'HIGH' : 'MODERATE'
}

/** The middle of the pools by depth: half of it says at most this, half at least. */
function medianOf({ deps, moments }: WeighedPools): bigint {
  const pools = deps.length > 0 ? deps : moments
  const whole = pools.reduce((sum, { depthUsd }) => sum + depthUsd, 0)
  let below = 0
  const byPrice = pools.toSorted((one, other) => (one.midE18 < other.midE18 ? -1 : 1))
  const middle = byPrice.find(({ depthUsd }) => (below += depthUsd) * 2 >= whole)
  return (middle ?? byPrice[0])?.midE18 ?? 0n
}

function depthOf(pools: readonly SpeakingPool[]): bigint {
  const usd = pools.reduce((sum, { leastDepthUsd }) => sum + leastDepthUsd, 0)
  return BigInt(Math.floor(Math.min(usd, mostDepthUsd) * 1_000_000))
}

/** The pool of a dishonest token may claim to hold any amount. Millionths of this are still whole numbers. */
const mostDepthUsd = 1_000_000_000

/** What was read of the tokens of a chain that have named sources, at one block. */
export type NamedReadings = {
  /** Unix seconds of the block. */
  readonly atSeconds: number
  readonly sequencer: SequencerReading | null
  /** As in `PriceEvidence`. */
  readonly pushBudgetUsd: number
  /** By address in lower case; the native currency under its wrapped token. */
  readonly tokens: ReadonlyMap<string, NamedReading>
}

export type NamedReading = {
  readonly usdPegged: boolean
  readonly feed: FeedReading | null
  readonly expected: PriceRange | null
  readonly pools: readonly PoolReading[]
  readonly seen: readonly SeenBand[]
}

/**
 * Prices of tokens with named sources, each through the prices of the tokens its pools are against. Where these lead round
 * in a circle, or further than two tokens, the last is priced by its feed or its peg alone. A dollar token off its peg is no
 * quote. What is worked out for one token serves the next.
 */
export function createNamedPrices(readings: NamedReadings): (key: string) => PriceVerdict {
  const verdicts = new Map<string, PriceVerdict>()
  const evidence = new Map<PoolReading, ReturnType<typeof poolEvidence>>()

  function verdictOf(key: string, before: readonly string[]): PriceVerdict {
    const path = [...before, key]
    const known = verdicts.get(path.join())
    if (known !== undefined) return known
    const verdict = priceBand(evidenceOf(key, path))
    verdicts.set(path.join(), verdict)
    return verdict
  }

  function evidenceOf(key: string, path: readonly string[]): PriceEvidence {
    const { atSeconds, sequencer, pushBudgetUsd, tokens } = readings
    const { usdPegged = false, feed = null, expected = null, seen = [], pools = [] } = tokens.get(key) ?? {}
    const isLast = path.length > mostTokens || path.indexOf(key) < path.length - 1
    const reported = isLast ? [] : pools.map((pool) => poolOf(pool, path))
    return { atSeconds, sequencer, pushBudgetUsd, usdPegged, feed, expected, seen, pools: reported }
  }

  function poolOf(pool: PoolReading, path: readonly string[]): PriceEvidence['pools'][number] {
    const { row, fault, quoteKey } = pool
    if (fault !== null) return { row, silent: fault }
    const said = evidence.get(pool) ?? poolEvidence(pool)
    evidence.set(pool, said)
    return said === null
      ? { row, silent: 'no such pool, or without a price' }
      : { ...said, quote: worthOf(quoteKey, path) }
  }

  function worthOf(key: string, path: readonly string[]): QuoteWorth {
    const quote = readings.tokens.get(key)
    if (quote === undefined) return { silent: 'its other token has no named source' }
    const { band } = verdictOf(key, path)
    if (band === null) return { silent: 'its other token has no price' }
    if (quote.usdPegged && !isAtPeg(band)) return { silent: 'its other token is off its peg' }
    return { band, silent: null }
  }

  return (key) => verdictOf(key, [])
}

/** On the way from a price to the dollar that are priced by pools of their own. */
const mostTokens = 3
