import type { PoolEvent, V4PoolEvent, V4PoolTerms } from '@svc/lp-math'
import { CsvError, parse } from 'csv-parse/sync'
import { UsageError } from '../../usage-error.ts'

/**
 * The events of a pool from the text of a file, in the order of the chain, from its Initialize event on.
 *
 * Each line is `{"eventName", "args", "timestamp"}` with the contract's own names (JSON lines), or the file is a CSV with the columns
 * `eventName`, `timestamp` and one for each argument, empty where an event has none. Whole numbers stand as text or, up to 2^53, as
 * numbers; members and columns beside these are passed over. A v4 pool is known by the fee, spacing and hooks of its Initialize event.
 * @throws Error naming the line, the event and the field, and what is accepted.
 */
export function readPoolEvents(text: string): PoolEvents {
  const rows = rowsOf(text)
  const [first] = rows
  if (first === undefined) throw new Error('The file holds no event.')
  if (first.eventName !== 'Initialize') {
    throw new Error(
      `line ${first.line}: the first event of a pool is Initialize, not ${nameOf(first)}: hand in all of its events.`,
    )
  }
  if (isOfV4(first.args)) {
    const events = readEvents<V4PoolEvent>(rows, v4Readers)
    const terms = argumentsOf(first)
    const [feePips, tickSpacing] = [terms.count('fee'), terms.count('tickSpacing')]
    return { version: 'v4', terms: { feePips, tickSpacing, hooks: terms.text('hooks') }, events }
  }
  return { version: 'v3', events: readEvents<PoolEvent>(rows, v3Readers) }
}

/** Each event with the line of the file on which it begins. */
export type PoolEvents<Version extends 'v3' | 'v4' = 'v3' | 'v4'> = Version extends 'v3'
  ? { readonly version: 'v3'; readonly events: readonly { readonly line: number; readonly event: PoolEvent }[] }
  : {
      readonly version: 'v4'
      readonly terms: V4PoolTerms
      readonly events: readonly { readonly line: number; readonly event: V4PoolEvent }[]
    }

/** The manager of v4 writes the whole key of a pool into its first event. */
function isOfV4(args: Row['args']): boolean {
  const isThere = (name: string) => args[name] !== undefined && args[name] !== ''
  return isThere('hooks') || isThere('tickSpacing')
}

function readEvents<Event>(rows: readonly Row[], readers: Readonly<Record<string, (row: EventRow) => Event>>) {
  return rows.map((row) => {
    const { eventName, line } = row
    const known = typeof eventName === 'string' && Object.hasOwn(readers, eventName) ? readers[eventName] : undefined
    if (known === undefined) {
      throw new Error(`line ${line}: eventName is one of ${Object.keys(readers).join(', ')}, not ${nameOf(row)}.`)
    }
    return { line, event: known(argumentsOf(row)) }
  })
}

function argumentsOf(row: Row): EventRow {
  const prefix = `${nameOf(row)}.`
  return {
    timestamp: countOf(row, { name: 'timestamp', value: row.timestamp }),
    whole(name) {
      const value = valueOf(row, name)
      if (isWhole(value)) return BigInt(value)
      throw refusal(row, { name: prefix + name, value }, 'a whole number, written as text where it is beyond 2^53')
    },
    count: (name) => countOf(row, { name: prefix + name, value: valueOf(row, name) }),
    text(name) {
      const value = valueOf(row, name)
      if (typeof value === 'string' && value !== '' && value.length <= 80) return value
      throw refusal(row, { name: prefix + name, value }, 'an address, or a salt')
    },
  }
}

type Written = { readonly name: string; readonly value: unknown }

function valueOf({ args }: Row, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

function countOf(row: Row, written: Written): number {
  const { value } = written
  if (isWhole(value) && Number.isSafeInteger(Number(value))) return Number(value)
  throw refusal(row, written, 'a whole number up to 2^53')
}

function isWhole(value: unknown): value is string | number {
  if (typeof value === 'number') return Number.isSafeInteger(value)
  return typeof value === 'string' && /^-?\d{1,78}$/.test(value)
}

function refusal({ line }: Row, { name, value }: Written, accepted: string): Error {
  const shown = value === undefined || value === '' ? 'missing' : `not ${JSON.stringify(value).slice(0, 60)}`
  return new Error(`line ${line}: ${name} is ${accepted}; it is ${shown}.`)
}

function nameOf({ eventName }: Row): string {
  return typeof eventName === 'string' && eventName !== '' ? eventName.slice(0, 40) : 'an event without a name'
}

/** Reads the events of a v3 pool by the names of its contract; others of their arguments, such as a sender, are passed over. */
const v3Readers: EventReaders<PoolEvent> = {
  Initialize: (row) => ({ eventName: 'Initialize', ...at(row), args: priceOf(row) }),
  Mint: (row) => ({ eventName: 'Mint', ...at(row), args: changeOf(row) }),
  Burn: (row) => ({ eventName: 'Burn', ...at(row), args: changeOf(row) }),
  Collect: (row) => ({ eventName: 'Collect', ...at(row), args: { ...rangeOf(row), ...amountsOf(row) } }),
  Swap: (row) => ({ eventName: 'Swap', ...at(row), args: swapOf(row) }),
  Flash: (row) => ({ eventName: 'Flash', ...at(row), args: { paid0: row.whole('paid0'), paid1: row.whole('paid1') } }),
  SetFeeProtocol: (row) => ({
    eventName: 'SetFeeProtocol',
    ...at(row),
    args: { feeProtocol0New: row.count('feeProtocol0New'), feeProtocol1New: row.count('feeProtocol1New') },
  }),
  CollectProtocol: (row) => ({ eventName: 'CollectProtocol', ...at(row), args: amountsOf(row) }),
  IncreaseObservationCardinalityNext: (row) => ({
    eventName: 'IncreaseObservationCardinalityNext',
    ...at(row),
    args: {
      observationCardinalityNextOld: row.count('observationCardinalityNextOld'),
      observationCardinalityNextNew: row.count('observationCardinalityNextNew'),
    },
  }),
}

/** The same of a v4 pool, by the names of its manager. */
const v4Readers: EventReaders<V4PoolEvent> = {
  Initialize: (row) => ({ eventName: 'Initialize', ...at(row), args: priceOf(row) }),
  ModifyLiquidity: (row) => ({
    eventName: 'ModifyLiquidity',
    ...at(row),
    args: {
      sender: row.text('sender'),
      tickLower: row.count('tickLower'),
      tickUpper: row.count('tickUpper'),
      liquidityDelta: row.whole('liquidityDelta'),
      salt: row.text('salt'),
    },
  }),
  Swap: (row) => ({ eventName: 'Swap', ...at(row), args: { ...swapOf(row), fee: row.count('fee') } }),
  Donate: (row) => ({ eventName: 'Donate', ...at(row), args: amountsOf(row) }),
  ProtocolFeeUpdated: (row) => ({
    eventName: 'ProtocolFeeUpdated',
    ...at(row),
    args: { protocolFee: row.count('protocolFee') },
  }),
}

/** One for each event that a pool may have, which gives just the arguments that its type has. */
type EventReaders<Event extends { readonly eventName: string }> = {
  readonly [Name in Event['eventName']]: (row: EventRow) => Extract<Event, { readonly eventName: Name }>
}

/** An event as it is written. Each argument is read as a `bigint`, a number, or words; what is none of that throws Error naming it. */
type EventRow = {
  readonly timestamp: number
  whole(name: string): bigint
  count(name: string): number
  text(name: string): string
}

function at({ timestamp }: EventRow) {
  return { timestamp }
}

function priceOf(row: EventRow) {
  return { sqrtPriceX96: row.whole('sqrtPriceX96'), tick: row.count('tick') }
}

function rangeOf(row: EventRow) {
  return { owner: row.text('owner'), tickLower: row.count('tickLower'), tickUpper: row.count('tickUpper') }
}

function changeOf(row: EventRow) {
  return { ...rangeOf(row), amount: row.whole('amount'), ...amountsOf(row) }
}

function amountsOf(row: EventRow) {
  return { amount0: row.whole('amount0'), amount1: row.whole('amount1') }
}

function swapOf(row: EventRow) {
  return {
    ...amountsOf(row),
    sqrtPriceX96: row.whole('sqrtPriceX96'),
    liquidity: row.whole('liquidity'),
    tick: row.count('tick'),
  }
}

/** The events of a file as they are written, JSON lines or CSV. Throws Error naming the line that is neither. */
function rowsOf(text: string): readonly Row[] {
  if (text.trim() === '') return []
  return text.trimStart().startsWith('{') ? jsonRows(text) : csvRows(text)
}

type Row = {
  readonly line: number
  readonly eventName: unknown
  readonly timestamp: unknown
  readonly args: Readonly<Record<string, unknown>>
}

function jsonRows(text: string): readonly Row[] {
  return text.split('\n').flatMap((written, index) => (written.trim() === '' ? [] : [jsonRow(written, index + 1)]))
}

function jsonRow(written: string, line: number): Row {
  const value = parsed(written, line)
  if (!isObject(value) || !isObject(value['args'])) {
    throw new Error(
      `line ${line}: an event is {"eventName": "Swap", "args": {...}, "timestamp": 1700000000} on a line of its own.`,
    )
  }
  return { line, eventName: value['eventName'], timestamp: value['timestamp'], args: value['args'] }
}

function parsed(written: string, line: number): unknown {
  try {
    return JSON.parse(written) as unknown
  } catch (cause) {
    throw new Error(`line ${line} is not JSON: each event stands on a line of its own.`, { cause })
  }
}

function csvRows(text: string): readonly Row[] {
  const header = (/\S.*/.exec(text)?.[0] ?? '').split(',')
  if (!header.includes('eventName') || !header.includes('timestamp')) {
    throw new Error(
      'It is neither JSON lines of events nor a CSV file whose header names eventName, timestamp and the arguments.',
    )
  }
  const options = { bom: true, columns: true, skip_empty_lines: true, relax_column_count: true, info: true } as const
  try {
    const records = parse<CsvRecord>(text, options)
    return records.map(({ record, info }) => {
      const { eventName, timestamp, ...args } = record
      return { line: info.lines, eventName, timestamp, args }
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Error(`The quotes do not match: ${error.code}.`, { cause: error })
  }
}

type CsvRecord = { readonly record: Readonly<Record<string, string>>; readonly info: { readonly lines: number } }

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A time out of a flag's text, in unix seconds; `undefined` stays. Throws `UsageError` naming the flag. */
export function parseTime(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at / 1000
  throw new UsageError(`${flag} takes a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not "${text.slice(0, 40)}"`)
}
