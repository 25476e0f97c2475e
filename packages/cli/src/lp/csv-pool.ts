import { type Bars, tickSpacingForFee } from '@svc/lp-math'
import { readInputText } from '../read-input-text.ts'
import { parseWholeNumber } from '../parse-whole-number.ts'
import { UsageError } from '../usage-error.ts'
import { parseFee } from './parse-fee.ts'
import { parseNumber } from './parse-number.ts'
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
    return { ...terms, file: path, bars, filledBars, widenedBars }
  } catch (cause) {
    throw new Error(`BARS_FILE_INVALID: ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

export type CsvPool = Omit<CsvTerms, 'barSeconds'> & {
  readonly file: string
  readonly bars: Bars
  readonly filledBars: number
  readonly widenedBars: number
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
  readonly quoteUsd: number
  /** For one transaction: opening a position, or closing it. */
  readonly gasUsd: number
  readonly barSeconds: number | undefined
}

function readCsvTerms(flags: CsvPoolFlags): CsvTerms {
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
    quoteUsd: parseNumber('--quote-usd', flags['quote-usd'], 1e-12, 1e12) ?? 1,
    gasUsd: parseNumber('--gas-usd', flags['gas-usd'], 0, 1e6) ?? 0,
    barSeconds: parseWholeNumber('--bar-seconds', flags['bar-seconds'], 1, 86_400),
  }
}

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
