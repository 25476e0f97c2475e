import type { HistoryRequest, Pool } from '../../ports.ts'
import { type TradedBars, tradedColumns } from '../bars/bar-columns.ts'
import type { PoolSampler } from './create-pool-sampler.ts'
import { MAX_TICK, MIN_TICK, v4SwapFee } from '@svc/lp-math'
import { lpFeeShare } from '../../liquidity/pools/pool-state.ts'
import type { PoolSample, SampledState } from './pool-sample.ts'

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

/**
 * The bars between samples that lie `barSeconds` apart, or a part of that which divides it. Price and fee growth are exact at the samples:
 * the growth is what the pool itself counted for a position at all prices (of a pair, out of what its reserves grew for a share). Highs
 * and lows are of the samples, and `reach` says how far the price can have gone between them: to move it has its price in fees, whatever
 * the liquidity is (v3 whitepaper 6.14 and 6.16 put into 6.2.3), so that what was paid bounds its way. So a position that began and ended on
 * one side of a bound of `reach` earned all of the growth, or none; any other something between. What came in, and fees in amounts, are
 * that growth at the mean of the liquidity of both samples: estimates. Bars begin where the pool has a price.
 */
export function barsOfSamples(pool: Pool, samples: readonly PoolSample[], barSeconds: number): SampledBars {
  const first = samples.findIndex(({ wanted, state }) => state !== null && wanted % barSeconds === 0)
  const priced = first === -1 ? [] : samples.slice(first)
  const start = priced[0]?.wanted ?? 0
  const end = priced.at(-1)?.wanted ?? start
  const traded = tradedColumns({ start, count: Math.max(0, Math.ceil((end - start) / barSeconds)), barSeconds })
  const column = () => new Float64Array(traded.bars.startsAt.length)
  const reach = { lowTick: column().fill(MAX_TICK), highTick: column().fill(MIN_TICK) }
  const steps = column()
  let unpaid = 0
  for (const [index, { state }] of priced.entries()) {
    const before = priced[index - 1]
    if (before === undefined || state === null || before.state === null) continue
    const step = stepBetween(pool, before.state, state)
    if (!step.isPaid) unpaid += 1
    addStep({ traded, reach, steps }, Math.floor((before.wanted - start) / barSeconds), step)
  }
  return { traded, reach, unpaid }
}

export type SampledBars = {
  readonly traded: TradedBars
  /** Ticks that the price did not leave in each bar, unless it passed prices without any liquidity. */
  readonly reach: { readonly lowTick: Float64Array; readonly highTick: Float64Array }
  /** Between how many samples the price moved further than what was paid in fees lets it: over prices without liquidity, or by a hook. */
  readonly unpaid: number
}

type Step = {
  readonly from: number
  readonly to: number
  readonly low: number
  readonly high: number
  readonly isPaid: boolean
  readonly growth: readonly [number, number]
  readonly fees: readonly [number, number]
  readonly inputs: readonly [number, number]
  readonly liquidity: number
}

type Columns = Pick<SampledBars, 'traded' | 'reach'> & { readonly steps: Float64Array }

function addStep({ traded, reach, steps }: Columns, bar: number, step: Step): void {
  const { bars, fees0, fees1 } = traded
  const before = steps[bar] ?? 0
  const isFirst = before === 0
  steps[bar] = before + 1
  const ends = [step.from, step.to]
  if (isFirst) bars.openTick[bar] = step.from
  bars.lowTick[bar] = Math.min(...ends, isFirst ? step.from : (bars.lowTick[bar] ?? 0))
  bars.highTick[bar] = Math.max(...ends, isFirst ? step.from : (bars.highTick[bar] ?? 0))
  bars.closeTick[bar] = step.to
  reach.lowTick[bar] = Math.min(reach.lowTick[bar] ?? 0, step.low)
  reach.highTick[bar] = Math.max(reach.highTick[bar] ?? 0, step.high)
  add(bars.amount0In, bar, step.inputs[0])
  add(bars.amount1In, bar, step.inputs[1])
  add(fees0, bar, step.fees[0])
  add(fees1, bar, step.fees[1])
  if (bars.feeGrowth !== null) {
    add(bars.feeGrowth.token0, bar, step.growth[0])
    add(bars.feeGrowth.token1, bar, step.growth[1])
  }
  bars.liquidity[bar] = ((bars.liquidity[bar] ?? 0) * before + step.liquidity) / (before + 1)
}

function add(column: Float64Array, bar: number, amount: number): void {
  column[bar] = (column[bar] ?? 0) + amount
}

function stepBetween(pool: Pool, before: SampledState, after: SampledState): Step {
  const [rootFrom, rootTo] = [rootOf(before), rootOf(after)]
  const liquidity = (Number(before.liquidity) + Number(after.liquidity)) / 2
  const rates = [true, false].map((zeroForOne) => ratesOf(pool, [before, after], zeroForOne))
  const growth = growthBetween(before, after)
  const fees: Step['fees'] = [growth[0] * liquidity, growth[1] * liquidity]
  const inputs: Step['inputs'] = [inputOf(fees[0], rates[0]), inputOf(fees[1], rates[1])]
  const [down, up] = [wayOf(growth[0], rates[0]), wayOf(growth[1], rates[1])]
  const [least, most] = [Math.min(rootFrom, rootTo), Math.max(rootFrom, rootTo)]
  const isPaid = rootTo - rootFrom <= up + slack * most && 1 / rootTo - 1 / rootFrom <= down + slack / least
  // Up first, and then down to where it ended, or the other way round.
  const top = Math.min(rootFrom + up, 1 / Math.max(0, 1 / rootTo - down))
  const bottom = Math.max(1 / (1 / rootFrom + down), rootTo - up, 0)
  const reached = isPaid ? [Math.min(least, bottom), Math.max(most, top)] : [0, Infinity]
  const [low, high] = [tickOf((reached[0] ?? 0) * (1 - slack)), tickOf((reached[1] ?? 0) * (1 + slack))]
  return { from: tickOf(rootFrom), to: tickOf(rootTo), low, high, isPaid, growth, fees, inputs, liquidity }
}

type Rates = {
  /** What was paid in comes to this much in fees to liquidity providers, at the ends of the bar. */
  readonly ofInput: readonly number[]
  /** And of what is left of it when the fee is taken, which moves the price. */
  readonly ofMove: number
}

function ratesOf({ version }: Pick<Pool, 'version'>, states: readonly SampledState[], zeroForOne: boolean): Rates {
  const sides = states.map(({ fee, protocolFee }) => {
    const protocolPips = zeroForOne ? protocolFee & 0xfff : protocolFee >> 12
    const whole = version === 'v4' ? v4SwapFee(protocolPips, fee) : fee
    return { whole: whole / 1e6, paid: (whole / 1e6) * lpFeeShare({ version, protocolFee }, whole, zeroForOne) }
  })
  // Of a pair the fee stays in the reserves: half of it moves the price along, and large inputs pay a little less for their way.
  const moves = sides.map(({ whole, paid }) => (version === 'v2' ? paid / (1 + pairSlack) : paid / (1 - whole)))
  return { ofInput: sides.map(({ paid }) => paid), ofMove: Math.min(...moves) }
}

function inputOf(fees: number, rates: Rates | undefined): number {
  const rate = (rates?.ofInput ?? []).reduce((sum, one) => sum + one / 2, 0)
  return rate > 0 ? fees / rate : 0
}

/** How far what was paid for one unit of liquidity moved the root of the price (or its inverse) at most, all ways in this direction added up. */
function wayOf(growth: number, rates: Rates | undefined): number {
  const rate = rates?.ofMove ?? 0
  return rate > 0 ? growth / rate : Infinity
}

/** Fees for one unit of liquidity in smallest units of each token. */
function growthBetween(before: SampledState, after: SampledState): readonly [number, number] {
  if (before.pair !== null && after.pair !== null) return growthOfPair(before, after)
  const [from0 = 0n, from1 = 0n] = before.growth ?? []
  const [to0 = 0n, to1 = 0n] = after.growth ?? []
  return [counted(to0 - from0), counted(to1 - from1)]
}

function counted(difference: bigint): number {
  return Number(BigInt.asUintN(256, difference)) / 2 ** 128
}

/**
 * Of a pair. An input of a part a of its reserve multiplies the product of the reserves by (1 + a)/(1 + a(1 - f)), and moves their ratio by
 * the product of both: with small parts the growth of the product for a share is f(a + b), the move of the price (2 - f)(b - a).
 */
function growthOfPair(before: SampledState, after: SampledState): readonly [number, number] {
  if (before.pair === null || after.pair === null) return [0, 0]
  const fee = before.fee / 1e6
  const grown = (of: 'reserve0' | 'reserve1' | 'shares') => Math.log(ratio(after.pair?.[of], before.pair?.[of]))
  const [grown0, grown1] = [grown('reserve0') - grown('shares'), grown('reserve1') - grown('shares')]
  const both = Math.max(0, grown0 + grown1) / fee
  const apart = (grown1 - grown0) / (2 - fee)
  // Half of each that was paid: liquidity is the root of the product.
  const [part0, part1] = [Math.max(0, both - apart) / 2, Math.max(0, both + apart) / 2]
  const root = Math.sqrt(rootOf(before) * rootOf(after))
  return [(part0 * fee) / root, part1 * fee * root]
}

function ratio(after = 1n, before = 1n): number {
  return Number(after) / Number(before)
}

function rootOf({ sqrtPriceX96 }: SampledState): number {
  return Number(sqrtPriceX96) / 2 ** 96
}

function tickOf(root: number): number {
  const tick = (2 * Math.log(root)) / Math.log(1.0001)
  return Math.min(MAX_TICK, Math.max(MIN_TICK, tick))
}

/** Of roundings: of a unit of the sqrt price, of doubles, and of what the contracts round down. */
const slack = 1e-7
/** Of the first order in which a pair's trades follow from its reserves. */
const pairSlack = 0.05
