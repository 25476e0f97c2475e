import type { FeedReading, SequencerReading } from './feed-witness.ts'
import type { SeenBand } from './jump-bound.ts'
import type { PoolReading } from './pool-reading.ts'
import { poolEvidence, type QuoteWorth } from './pool-witness.ts'
import type { PriceRange } from './price-range.ts'
import { isAtPeg, priceBand, type PriceEvidence, type PriceVerdict } from './price-band.ts'

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
