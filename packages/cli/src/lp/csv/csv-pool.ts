import { type Bars, type PoolTrade, tickSpacingForFee, type BacktestOptions } from '@svc/lp-math'
import { readInputText } from '../../read-input-file.ts'
import { parseWholeNumber, parseFee, parseNumber } from '../../parse-words-and-flags.ts'
import { UsageError } from '../../usage-error.ts'
import { readBarsCsv } from './read-bars-csv.ts'

/**
 * A pool as a CSV file of bars and the flags beside it tell it. Throws `UsageError` naming the flag, and Error naming the file, the
 * line and the column.
 */
export async function readCsvPool(path: string, flags: CsvPoolFlags): Promise<CsvPool> {
  const terms = readCsvTerms(flags)
  const text = await readInputText(path, 'a CSV file of bars', maxBytes)
  try {
    const { bars, filledBars, widenedBars } = readBarsCsv(text, terms.barSeconds)
    requirePlausible(terms, bars)
    return { ...terms, file: path, bars, filledBars, widenedBars }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new Error(`BARS_FILE_INVALID: ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

export type CsvPool = Omit<CsvTerms, 'barSeconds'> & {
  readonly file: string
  readonly bars: Bars
  readonly filledBars: number
  readonly widenedBars: number
  /** What its swaps were, where the file holds events: fees are counted by them. */
  readonly trade?: PoolTrade
}

/** Flags that say of the pool what its bars do not. */
export const csvPoolFlags = [
  'pair',
  'fee',
  'tick-spacing',
  'protocol-fee-pct',
  'decimals',
  'base',
  'quote-usd',
  'gas-usd',
  'bar-seconds',
] as const

export type CsvPoolFlags = Readonly<Partial<Record<(typeof csvPoolFlags)[number], string>>>

/** Price is that of the base token in the other one, the quote, in whole tokens. */
export type CsvTerms = {
  readonly pair: string
  readonly feePips: number
  readonly tickSpacing: number
  readonly protocolFeeShare: number
  readonly decimals0: number
  readonly decimals1: number
  readonly baseToken: 0 | 1
  /** Whether `--base` was left out, so that token0 was taken. */
  readonly isBaseTaken?: boolean
  readonly quoteUsd: number
  /** For one transaction: opening a position, or closing it. */
  readonly gasUsd: number
  readonly barSeconds: number | undefined
}

/** Throws `UsageError` naming the flag. */
export function readCsvTerms(flags: CsvPoolFlags): CsvTerms {
  const feePips = parseFee(flags.fee)
  if (feePips === undefined) throw new UsageError('a CSV file needs --fee, in millionths: 500 is 0.05 %')
  const [decimals0, decimals1] = readDecimals(flags.decimals)
  const baseToken = parseWholeNumber('--base', flags.base, 0, 1) === 1 ? 1 : 0
  return {
    pair: flags.pair ?? (baseToken === 0 ? 'token0/token1' : 'token1/token0'),
    feePips,
    tickSpacing: parseWholeNumber('--tick-spacing', flags['tick-spacing'], 1, 16_383) ?? spacingFor(feePips),
    protocolFeeShare: (parseNumber('--protocol-fee-pct', flags['protocol-fee-pct'], 0, 100) ?? 0) / 100,
    decimals0,
    decimals1,
    baseToken,
    isBaseTaken: flags.base === undefined,
    quoteUsd: parseNumber('--quote-usd', flags['quote-usd'], 1e-12, 1e12) ?? 1,
    gasUsd: parseNumber('--gas-usd', flags['gas-usd'], 0, 1e6) ?? 0,
    barSeconds: parseWholeNumber('--bar-seconds', flags['bar-seconds'], 1, 86_400),
  }
}

/** What is said first, in front of an answer for people and in its notes, of a pool whose `--base` was left out. */
export function baseNotes({ isBaseTaken }: Pick<CsvTerms, 'isBaseTaken'>): readonly string[] {
  return isBaseTaken === true
    ? ['--base is left out: the price is that of token0, counted in token1; --base 1 turns it round.']
    : []
}

/** An answer for people, behind what is said first. */
export function afterBase(pool: Pick<CsvTerms, 'isBaseTaken'> | undefined, answer: string): string {
  return [...(pool === undefined ? [] : baseNotes(pool)), answer].join('\n')
}

/**
 * Throws `UsageError` for a price that no pair has and that would be one with the decimals the other way round: they stand in the
 * order of the pool, which need not be that of its name.
 */
export function requirePlausible(
  { decimals0, decimals1, baseToken }: Omit<CsvTerms, 'barSeconds'>,
  { closeTick }: Bars,
): void {
  const last = closeTick.at(-1) ?? 0
  const digitsOf = (one: number, other: number) =>
    (last * Math.log10(1.0001) + one - other) * (baseToken === 0 ? 1 : -1)
  const [digits, swapped] = [digitsOf(decimals0, decimals1), digitsOf(decimals1, decimals0)]
  if (Math.abs(digits) <= mostDigits || Math.abs(swapped) > mostDigits) return
  const price = (of: number) => (10 ** of).toPrecision(3)
  throw new UsageError(
    `a price of ${price(digits)} is not plausible. --decimals are of token0 and token1 in the order of the pool, whose ` +
      `addresses ascend: try --decimals ${decimals1},${decimals0}, which makes it ${price(swapped)}` +
      ` (and --base ${1 - baseToken} for the price of the other token)`,
  )
}

/** A coin of which a billion times a million make a dollar against the dearest there is. */
const mostDigits = 15

function readDecimals(text: string | undefined): readonly [decimals0: number, decimals1: number] {
  const [, decimals0, decimals1] = /^(\d{1,3}),(\d{1,3})$/.exec(text ?? '') ?? []
  const read = [Number(decimals0), Number(decimals1)] as const
  if (decimals1 === undefined || Math.max(...read) > 255) {
    throw new UsageError('a CSV file needs --decimals of its token0 and token1, such as 6,18')
  }
  return read
}

function spacingFor(feePips: number): number {
  if (![100, 500, 3000, 10_000].includes(feePips)) {
    throw new UsageError(`a fee of ${feePips} has no tick spacing of its own: name it with --tick-spacing`)
  }
  return tickSpacingForFee(feePips)
}

/** Two years of minutes. */
const maxBytes = 128 << 20

/** What a replay must know beside the bars. */
export function replayOptions(pool: CsvPool, amountUsd: number): BacktestOptions {
  const { feePips, protocolFeeShare, tickSpacing, decimals0, decimals1, baseToken, quoteUsd, gasUsd, trade } = pool
  return {
    ...(trade !== undefined && { resolution: 'swap', trade }),
    startValueUsd: amountUsd,
    feePips,
    protocolFeeShare,
    tickSpacing,
    decimals0,
    decimals1,
    baseToken,
    quoteUsd,
    gasUsd: { open: gasUsd, close: gasUsd, rebalance: 2 * gasUsd },
  }
}
