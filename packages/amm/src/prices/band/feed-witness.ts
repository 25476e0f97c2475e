import type { Chain, UsdFeed } from '@svc/wallet/core'
import type { SeenBand, PriceRange } from './price-range.ts'

/** What an aggregator answers, beside the row that names it. */
export type FeedReading = {
  readonly row: UsdFeed
  /** What its contract says; `null` where it says nothing. */
  readonly decimals: number | null
  /** `null` where it answers no round: no contract, or one that knows a latest answer alone and not how old it is. */
  readonly round: { readonly answer: bigint; readonly updatedAt: bigint } | null
}

/** What the uptime feed of a roll-up's sequencer answers, beside its row. */
export type SequencerReading = {
  readonly row: NonNullable<Chain['sequencerUptimeFeed']>
  readonly round: { readonly answer: bigint; readonly startedAt: bigint } | null
}

/** What a feed says, or why it says nothing. */
export type FeedWitness =
  | (PriceRange & { readonly midE18: bigint; readonly silent: null })
  | { readonly silent: string }

/** The same with the Unix seconds of its answer. */
export type LastAnswer = (Extract<FeedWitness, { silent: null }> & SeenBand) | { readonly silent: string }

/**
 * The answer of an aggregator, as far as the market may be from it before it answers anew. It says nothing when it is
 * stale, from the future, not above zero, at a bound of its row, or other than its row in decimals; nor while the sequencer is
 * down or has only just come back, when prices of hours ago can look fresh.
 *
 * @param sequencer `null` on a chain without one
 * @param atSeconds time of the block
 */
export function feedWitness(reading: FeedReading, sequencer: SequencerReading | null, atSeconds: number): FeedWitness {
  const answer = lastAnswer(reading, sequencer, atSeconds)
  if (answer.silent !== null) return answer
  const { atSeconds: answeredAt, ...said } = answer
  const age = atSeconds - answeredAt
  return age > reading.row.heartbeatSeconds + landingSeconds ? { silent: `its answer is ${age} s old` } : said
}

/** The same, however old the answer is. */
export function lastAnswer(
  { row, decimals, round }: FeedReading,
  sequencer: SequencerReading | null,
  atSeconds: number,
): LastAnswer {
  const outage = sequencer === null ? null : outageOf(sequencer, atSeconds)
  if (outage !== null) return { silent: outage }
  if (round === null) return { silent: 'it answers no round' }
  if (decimals !== row.decimals) return { silent: 'its decimals are not those of its row' }
  const { answer, updatedAt } = round
  if (answer <= 0n) return { silent: 'its answer is not above zero' }
  if (row.minAnswer !== undefined && answer <= row.minAnswer) return { silent: 'its answer is at its lower bound' }
  if (row.maxAnswer !== undefined && answer >= row.maxAnswer) return { silent: 'its answer is at its upper bound' }
  if (updatedAt === 0n || updatedAt > BigInt(atSeconds))
    return { silent: 'its answer has no time or one in the future' }
  return { ...rangeOf(answer, row), atSeconds: Number(updatedAt), silent: null }
}

/** What a due answer may take to get into a block. Source: Chainlink's advice on staleness. */
export const landingSeconds = 60

function rangeOf(answer: bigint, { decimals, deviationBps }: UsdFeed): PriceRange & { readonly midE18: bigint } {
  const unit = 10n ** BigInt(decimals)
  const above = answer * 10n ** 18n
  const deviation = BigInt(deviationBps)
  const below = unit * wholeBps
  return {
    lowE18: (above * (wholeBps - deviation)) / below,
    highE18: (above * (wholeBps + deviation) + below - 1n) / below,
    midE18: above / unit,
  }
}

const wholeBps = 10_000n

/** Why feeds are not believed for the sequencer's sake; `null` where it has been up for long enough. */
function outageOf({ row, round }: SequencerReading, atSeconds: number): string | null {
  if (round === null || round.startedAt === 0n) return 'nothing says whether the sequencer is up'
  if (round.answer !== 0n) return 'the sequencer is down'
  const upSeconds = BigInt(atSeconds) - round.startedAt
  return upSeconds > BigInt(row.graceSeconds) ? null : 'the sequencer has only just come back'
}
