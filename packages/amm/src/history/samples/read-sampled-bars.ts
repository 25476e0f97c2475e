import type { HistoryRequest } from '../../ports.ts'
import type { TradedBars } from '../bars/traded-bars.ts'
import { barsOfSamples } from './bars-of-samples.ts'
import type { PoolSampler } from './create-pool-sampler.ts'

/**
 * The bars of a pool before a time (Unix seconds, on the grid of the bars) out of its state at past blocks, as far back as an endpoint and
 * the budget of samples reach: by the hour, by the bar where that is shorter, and where hours were too many by the longest part of a bar
 * that is not. `null` where no endpoint keeps such state. Throws `RPC_*`, `CANCELLED`.
 */
export async function readSampledBars(
  sampler: PoolSampler,
  { chain, pool, from, barSeconds, signal }: HistoryRequest,
  until: number,
): Promise<Sampled | null> {
  const start = Math.floor(from / barSeconds) * barSeconds
  const step = stepSeconds(barSeconds, until - start)
  const count = Math.min(Math.ceil((until - start) / step), mostSteps - (mostSteps % (barSeconds / step)))
  const times = Array.from({ length: count + 1 }, (_, index) => until - (count - index) * step)
  const read = await sampler.read({ chain, pool, times, signal })
  if (read === null) return null
  const { traded, reach, unpaid } = barsOfSamples(pool, read.samples, barSeconds)
  if (traded.bars.startsAt.length === 0) return null
  const knownFrom = read.samples[0]?.wanted ?? until
  const note = noteOf({ traded, reach, unpaid, until, secondsOff: read.secondsOff, step })
  return { traded, reach, knownFrom, note }
}

export type Sampled = {
  readonly traded: TradedBars
  readonly reach: ReturnType<typeof barsOfSamples>['reach']
  /** Unix seconds: before that the endpoint or the budget does not reach. The bars begin later where the pool does. */
  readonly knownFrom: number
  /** What such bars are, in our own words. */
  readonly note: string
}

/** Days of hours that one answer samples. */
export const mostSampledDays = 42
const mostSteps = mostSampledDays * 24
const hourSeconds = 3_600

function stepSeconds(barSeconds: number, span: number): number {
  if (barSeconds <= hourSeconds) return barSeconds
  const hours = Math.floor(barSeconds / hourSeconds)
  for (let step = 1; step <= hours; step += 1) {
    if (hours % step === 0 && span / (step * hourSeconds) <= mostSteps) return step * hourSeconds
  }
  return barSeconds
}

type Described = Pick<Sampled, 'traded' | 'reach'> & {
  readonly unpaid: number
  readonly until: number
  readonly secondsOff: number
  readonly step: number
}

function noteOf({ traded, reach, unpaid, until, secondsOff, step }: Described): string {
  const { highTick, lowTick } = traded.bars
  const beyond = Array.from(highTick, (high, bar) =>
    Math.max((reach.highTick[bar] ?? 0) - high, (lowTick[bar] ?? 0) - (reach.lowTick[bar] ?? 0)),
  ).toSorted((a, b) => a - b)
  const part = (share: number) => (1.0001 ** (beyond[Math.floor((beyond.length - 1) * share)] ?? 0) - 1) * 100
  const every = step === hourSeconds ? 'hour' : `${step} seconds`
  const off = secondsOff === 0 ? '' : `, within ${Math.ceil(secondsOff)} seconds of it`
  return [
    `Bars before ${new Date(until * 1_000).toISOString()} come from the state of the pool at past blocks, one each ${every}${off}: price, and fees for a unit of liquidity at all prices, are exact there; highs and lows are of these samples; volume and fees in dollars are estimates from fee growth and liquidity.`,
    `By the fees paid the price went at most ${percent(part(0.5))} % further between them in half of the bars, ${percent(part(0.95))} % in 95 of 100.`,
    ...(unpaid > 0
      ? [`${unpaid} times it moved further than fees were paid for: over prices without liquidity, or by a hook.`]
      : []),
  ].join(' ')
}

function percent(value: number): string {
  return value > 1_000 ? 'over 1000' : value.toPrecision(2)
}
