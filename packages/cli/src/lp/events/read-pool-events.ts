import type { PoolEvent, V4PoolEvent, V4PoolTerms } from '@svc/lp-math'
import { type EventRow, v3Readers, v4Readers } from './event-readers.ts'
import { type Row, rowsOf } from './event-rows.ts'

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
