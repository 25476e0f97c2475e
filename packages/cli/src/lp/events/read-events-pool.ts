import {
  barsFromSwaps,
  createPoolState,
  createV4PoolState,
  LpMathError,
  type PoolEvents as ReplayedEvents,
  type PoolTrade,
  recordTrade,
  type TradeSpan,
} from '@svc/lp-math'
import { UsageError } from '../../usage-error.ts'
import { type CsvPool, type CsvPoolFlags, readCsvTerms, requirePlausible } from '../csv/csv-pool.ts'
import { readEventsFile, termsOf } from '../replay.ts'
import { parseTime, type PoolEvents } from './read-pool-events.ts'

/**
 * A pool as a file of its events tells it, with what it traded and the bars of that: from the bar of its first swap on, or of `--start`, to the end of
 * the file, or `--end`. Throws `UsageError` naming the flag, and Error naming the file, the line and what does not fit.
 */
export async function readEventsPool(file: string, flags: EventsPoolFlags): Promise<CsvPool> {
  if (flags['protocol-fee-pct'] !== undefined) {
    throw new UsageError('--protocol-fee-pct has no place here: the events tell what the protocol takes')
  }
  const read = await readEventsFile(file)
  const { feePips, ...others } = readCsvTerms({ ...flags, ...tradeTerms(read, flags) })
  const { barSeconds = 3600, ...terms } = others
  const span = spanOf(read, barSeconds, flags)
  const trade = tradeOf(file, read, { feePips, tickSpacing: terms.tickSpacing }, span)
  const { start, swaps } = trade
  const bars = barsFromSwaps(swaps, { barSeconds, ...span, start, feePips, protocolFee: start.protocolFee })
  const pool = { ...terms, feePips, file, bars, filledBars: 0, widenedBars: 0, trade }
  requirePlausible(pool, bars)
  return pool
}

type EventsPoolFlags = CsvPoolFlags & { readonly start?: string; readonly end?: string }

/** In the words of the flags. Of a dynamic fee the newest is meant: what a rebalance would pay. */
function tradeTerms(read: PoolEvents, flags: CsvPoolFlags): CsvPoolFlags {
  termsOf(read, flags)
  if (read.version === 'v3') return {}
  const newest = read.events.findLast(({ event }) => event.eventName === 'Swap')?.event
  const fee = read.terms.feePips < 1_000_000 ? read.terms.feePips : newest?.eventName === 'Swap' ? newest.args.fee : 0
  return { fee: String(fee), 'tick-spacing': String(read.terms.tickSpacing) }
}

/** Whole bars. */
function spanOf(read: PoolEvents, barSeconds: number, flags: EventsPoolFlags): TradeSpan {
  const times = read.events.map(({ event }) => event).filter(({ eventName }) => eventName === 'Swap')
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) throw new Error('The file holds no swap: nothing was traded.')
  const barAt = (seconds: number) => Math.floor(seconds / barSeconds) * barSeconds
  const startsAt = barAt(parseTime('--start', flags.start) ?? first.timestamp)
  const end = parseTime('--end', flags.end)
  const endsAt = end === undefined ? barAt(last.timestamp) + barSeconds : barAt(end)
  if (endsAt - startsAt < 2 * barSeconds) {
    throw new UsageError(
      `two bars of ${barSeconds} s are needed, one to open in and one to earn in: see --bar-seconds, --start and --end`,
    )
  }
  return { startsAt, endsAt }
}

function tradeOf(
  file: string,
  read: PoolEvents,
  terms: { readonly feePips: number; readonly tickSpacing: number },
  span: TradeSpan,
): PoolTrade {
  try {
    return recordTrade(withState(read, terms), span)
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    const message = error.message.replace(
      /^events\[(\d+)\]/,
      (_, at: string) => `line ${read.events[Number(at)]?.line}`,
    )
    throw new Error(`${error.code}: ${file}: ${message} svc lp replay names the fields.`, { cause: error })
  }
}

function withState(
  read: PoolEvents,
  terms: { readonly feePips: number; readonly tickSpacing: number },
): ReplayedEvents {
  return read.version === 'v4'
    ? { version: 'v4', state: createV4PoolState(read.terms), events: read.events.map(({ event }) => event) }
    : { version: 'v3', state: createPoolState(terms), events: read.events.map(({ event }) => event) }
}
