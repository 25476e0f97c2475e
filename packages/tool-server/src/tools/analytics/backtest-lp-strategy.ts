import { type BacktestOptions, type BacktestStrategy, type Bars, LpMathError } from '@svc/lp-math'
import type { Replay, Replayed, WorkCaller, Workers } from '../../ports.ts'
import { type Pool, type PoolBars, tokenLabel, ToolError } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { type FoundPool, poolOfPair } from '../named-pool.ts'
import { hookDoubt } from '../../analysis/hook-permissions.ts'
import { type GasPrice, readGasPrice, typicalGas, type QuoteUsd, readQuoteUsd } from '../../analysis/value-usd.ts'
import { wholeFee } from '../../analysis/fees/pool-trade.ts'
import { backtestCurves } from '../../charts/backtest/backtest-curves.ts'
import { noPast, refusesPast } from '../../analysis/range/pool-sigma.ts'
import { readTool } from '../../tool.ts'
import { backtestAnswer, formatBacktest } from '../format-backtest.ts'
import { chainInput, feeInput, invalidField, poolInput, timeInput, tokenInput, usdAmountInput } from '../params.ts'
import { rangeStrategies } from '../position-params.ts'
import { completenessOf, type Period, timeOfBar } from '../period.ts'
import { blockStamp } from '../results.ts'
import { strategiesInput, strategiesOf, usualStrategies } from '../strategies-of.ts'

export const backtestLpStrategy = readTool({
  name: 'backtest_lp_strategy',
  title: 'Backtest LP strategies',
  description:
    'Replays 14 to 366 days of a v3 or v4 pool by the hour for LP strategies: fees with own liquidity diluted, IL, gas, rebalances, against holding. Costs positive, price token1 per token0. Strategies without a threshold never rebalance.',
  scope: 'read:market',
  runsLong: true,
  view: 'lp-backtest',
  input: z.strictObject({
    token0: tokenInput,
    token1: tokenInput,
    chain: chainInput,
    amount: usdAmountInput,
    startTime: timeInput.describe('ISO 8601'),
    fee: feeInput.optional().describe('Default: the deepest pool'),
    pool: poolInput.optional(),
    endTime: timeInput.optional().describe('Default now'),
    strategies: strategiesInput.optional(),
  }),
  output: backtestAnswer,
}).handler(async (input, context) => {
  const strategies = input.strategies === undefined ? usualStrategies : strategiesOf(input.strategies)
  const chain = context.chains.get(input.chain)
  const period = backtestPeriod(input.startTime, input.endTime, context.now())
  const found = await poolOfPair(input, chain, context)
  const { pool } = found
  const [history, gas] = await Promise.all([
    context.history.read({ chain, pool, ...period, signal: context.signal }).catch(requirePast),
    // What gas costs is a small part of the answer, and no reason to give none.
    readGasPrice(context, chain).catch(() => null),
  ])
  requireKnownDays(history)
  const { bars } = history
  const price = priceColumn(bars, found)
  const quoteUsd = await readQuoteUsd(context, chain, { base: found.token0, quote: found.token1, bars, price })
  const startValueUsd = Number(input.amount)
  const options = optionsOf(found, startValueUsd, { quoteUsd, gas })
  const result = await runBacktest(context.workers, { bars, strategies, options }, context)
  const completeness = completenessOf(history)
  const about = { pair: `${tokenLabel(found.token0)}/${tokenLabel(found.token1)}`, fee: pool.fee }
  const { barSeconds } = bars
  const startsAt = bars.startsAt[0] ?? 0
  const curves = { ...about, chain: chain.name, result, startValueUsd, quoteUsd: quoteUsd.usd }
  const caption = [`${price.length} bars of ${barSeconds} seconds. Dollars: ${quoteUsd.basis}.`]
  context.draw(() => ({
    kind: 'backtest',
    curves: backtestCurves({ ...curves, caption, price: [...price], startsAt, barSeconds }),
  }))
  const reported = formatBacktest(strategies, result, {
    startValueUsd,
    quoteUsd: quoteUsd.usd,
    isGasKnown: gas !== null && gas.nativeUsd !== null,
    tickSpacing: pool.tickSpacing,
    completeness: history.completeness,
  })
  return {
    ...blockStamp(chain, context, pool.blockNumber, history.source),
    ...about,
    pool: pool.id,
    ...reported,
    ...completeness,
    notes: [
      ...completeness.notes,
      ...reported.notes,
      ...nameNotes(strategies),
      ...notesOf(chain, pool, { history, gas, quoteUsd }),
    ],
  }
})

/** Price of the caller's token0 in token1 at the close of each bar. */
function priceColumn({ closeTick }: Bars, { pool, token0 }: FoundPool): Float64Array {
  const scale = 10 ** (pool.token0.decimals - pool.token1.decimals)
  const isSorted = pool.token0.address === token0.address
  return closeTick.map((tick) => (isSorted ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale))
}

type Costs = { readonly quoteUsd: QuoteUsd; readonly gas: GasPrice | null }

function optionsOf({ pool, token0 }: FoundPool, startValueUsd: number, { quoteUsd, gas }: Costs): BacktestOptions {
  const { decrease, swap, mint } = typicalGas
  const costOf = (units: bigint) => gas?.costUsd(units) ?? 0
  return {
    startValueUsd,
    ...wholeFee(pool),
    tickSpacing: pool.tickSpacing ?? 1,
    decimals0: pool.token0.decimals,
    decimals1: pool.token1.decimals,
    baseToken: pool.token0.address === token0.address ? 0 : 1,
    quoteUsd: quoteUsd.usd,
    gasUsd: { open: costOf(mint), close: costOf(decrease), rebalance: costOf(decrease + swap + mint) },
    // The picture draws positions at the pace of what they are compared with.
    withBarEquity: true,
  }
}

/** The specification has two tables under the same names: a strategy of one is not that of the other. */
function nameNotes(strategies: readonly BacktestStrategy[]): readonly string[] {
  const shared = strategies.flatMap(({ name, rangePct }) => {
    const other = name === 'narrow' || name === 'medium' || name === 'wide' ? rangeStrategies[name].pctEachSide : null
    return other === null || rangePct === null || rangePct / 2 === other ? [] : [{ name, rangePct, other }]
  })
  if (shared.length === 0) return []
  const [own, others] = [
    shared.map(({ name, rangePct }) => `${name} +/-${rangePct / 2} %`),
    shared.map(({ other }) => `+/-${other} %`),
  ]
  return [
    `${own.join(', ')} here: the rangeStrategy of that name of add_liquidity and rebalance_position is ${others.join(', ')}.`,
  ]
}

function notesOf(
  chain: Chain,
  pool: Pool,
  { history, gas, quoteUsd }: Costs & { readonly history: PoolBars },
): string[] {
  const quiet = quietDays(history.bars)
  return [
    `Dollars: ${quoteUsd.basis}.`,
    'leadAheadUsd of the winner, Low95 to High95, Low68 to High68: where its lead over as many days to come is to be found in 95 and 68 of 100 cases.',
    "hodlBenchmark holds half of the amount in each token, vsHodlPct the tokens of a strategy's own first position.",
    'ilCostUsd and hodlMoveUsd are of each position against the tokens put into it, from its opening to its end, and so of others after a rebalance. End less start: fees + hodlMoveUsd - ilCostUsd - swapCostUsd - gasCostUsd.',
    'sharpeRatio: mean of the returns of whole days over their deviation, times the root of 365; neither a riskless yield nor holding is taken off.',
    'feeUncertaintyPct: how far the fees of this past may lie off, in percent of them, as bars of an hour do not tell which part of their trade was in range; no error of a forecast, which optimize_lp_range and recommend_fee_tier mean by it.',
    ...(quoteUsd.isToday
      ? ['No past of a pool with a dollar token is known: what prices did in dollars is missing.']
      : []),
    gasNote(chain, gas),
    ...(quiet > 0 ? [`${quiet} days were without a trade.`] : []),
    ...hookDoubt(pool),
  ]
}

function gasNote({ nativeCurrency }: Chain, gas: GasPrice | null): string {
  if (gas === null) return 'The price of gas is unknown and left out.'
  return gas.nativeUsd === null
    ? `Gas is left out: ${nativeCurrency.symbol} has no trustworthy price.`
    : "Gas is counted at today's price, without data fees of rollups, beside the position."
}

/** Runs of 24 bars, from the first that can earn, in which nobody traded. */
function quietDays({ amount0In, amount1In }: Bars): number {
  let quiet = 0
  for (let bar = 1; bar + 24 <= amount0In.length; bar += 24) {
    const traded = (column: Float64Array) => column.subarray(bar, bar + 24).some((amount) => amount > 0)
    if (!traded(amount0In) && !traded(amount1In)) quiet += 1
  }
  return quiet
}

/**
 * Replays strategies beside the other calls: what it takes grows with the bars and the moves.
 * @throws ToolError `INSUFFICIENT_HISTORY` for bars that no pool can have traded, `AMOUNT_TOO_SMALL` for an amount that buys no liquidity,
 * `SIMULATION_TIMEOUT`, `SERVER_BUSY`, `CANCELLED`
 */
export async function runBacktest(
  workers: Workers,
  replay: Replay,
  { signal, onProgress }: WorkCaller,
): Promise<Replayed> {
  return workers.run('replay', replay, { signal, onProgress }).catch((error: unknown) => {
    if (error instanceof ToolError && error.code === 'SIMULATION_TIMEOUT') throw timedOut(error, replay)
    throw error instanceof LpMathError ? refusalOf(error) : error
  })
}

function timedOut({ code, message, suggestion, details }: ToolError, { bars, strategies }: Replay): ToolError {
  const asked = { bars: bars.startsAt.length, strategies: strategies.length }
  const detail = {
    field: 'startTime',
    message: `${asked.strategies} strategies over ${asked.bars} bars.`,
    accepted: 'a shorter period, or fewer strategies',
    ...asked,
  }
  return new ToolError(code, message, { suggestion, details: [detail, ...details] })
}

function refusalOf(error: LpMathError): Error {
  if (error.code === 'BARS_MALFORMED' || error.code === 'BACKTEST_OPTION_OUT_OF_RANGE') {
    const message = `The past of this pool holds what no pool can have: ${error.message}`
    return new ToolError('INSUFFICIENT_HISTORY', message, {
      details: [{ field: 'pool', message, accepted: 'another pool, or another period' }],
      suggestion: 'Choose another pool or another period; get_price_history shows what is known of this one.',
      cause: error,
    })
  }
  if (error.code === 'LIQUIDITY_OUT_OF_RANGE') {
    const message = 'At the prices of this pool the amount buys no liquidity.'
    return new ToolError('AMOUNT_TOO_SMALL', message, {
      details: [{ field: 'amount', message, accepted: 'a larger amount' }],
      cause: error,
    })
  }
  return error
}

/**
 * The whole hours of a backtest, both ends rounded down, and one hour before them: a position is opened at the close of a bar. `end`
 * defaults to now. Throws `VALIDATION_FAILED`, and `INSUFFICIENT_HISTORY` for a period that is too short whatever is known of it.
 */
function backtestPeriod(startTime: number, endTime: number | undefined, nowMs: number): Period {
  const now = Math.floor(nowMs / 1000)
  const end = endTime ?? now
  if (end > now) throw invalidField('endTime', 'This moment has not come yet.', 'a time up to now')
  if (startTime >= end) throw invalidField('startTime', 'The period would be empty.', 'a time before endTime')
  const [from, to] = [wholeHour(startTime), wholeHour(end)]
  if (to - from > mostDays * daySeconds) {
    throw invalidField('startTime', 'The period is too long.', `at most ${mostDays} days before the end`)
  }
  requireDays((to - from) / daySeconds, {
    subject: 'The period is',
    accepted: `a time ${leastDays} days before the end`,
    suggestion: `Call again with a start at least ${leastDays} days before the end.`,
  })
  return { from: from - barSeconds, to, barSeconds }
}

/** Throws `INSUFFICIENT_HISTORY` where bars, those without data left out, make less than 14 days. */
function requireKnownDays({ bars, completeness }: PoolBars): void {
  const hours = Math.max(0, bars.startsAt.length - 1 - completeness.gaps)
  const knownFrom = bars.startsAt[0]
  requireDays(hours / 24, {
    subject: 'The known past of this pool in the period is',
    accepted: `a period with ${leastDays} known days, or another pool or fee`,
    note: completeness.note,
    ...(knownFrom !== undefined && { knownFrom: timeOfBar(knownFrom) }),
  })
}

/** Where nothing tells a past, no days of it are known; every other failure stays what it is. */
function requirePast(error: unknown): never {
  if (refusesPast(error)) {
    const accepted = 'a pool whose past is known, or an endpoint that gives swap logs or keeps old state (archive)'
    requireDays(0, { subject: 'The known past of this pool in the period is', accepted, note: noPast })
  }
  throw error
}

const barSeconds = 3_600
const daySeconds = 86_400
const leastDays = 14
/** Keeps what one strategy takes short. */
const mostDays = 366

function wholeHour(seconds: number): number {
  return Math.floor(seconds / barSeconds) * barSeconds
}

type Wanted = {
  readonly subject: string
  readonly accepted: string
  readonly note?: string | null
  readonly knownFrom?: string
  /** Absent where that of the code says it. */
  readonly suggestion?: string
}

function requireDays(days: number, { subject, accepted, note = null, suggestion, ...found }: Wanted): void {
  if (days >= leastDays) return
  const daysFound = Math.floor(days * 100) / 100
  const message = `${subject} ${daysFound} days; ${leastDays} are needed.${note === null ? '' : ` ${note}`}`
  throw new ToolError('INSUFFICIENT_HISTORY', message, {
    details: [{ field: 'startTime', message, accepted, daysFound, daysNeeded: leastDays, ...found }],
    ...(suggestion !== undefined && { suggestion }),
  })
}
