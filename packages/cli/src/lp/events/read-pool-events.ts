import type { PoolEvent, V4PoolEvent, V4PoolTerms } from '@svc/lp-math'
import { eventFields, type Field, versionOf } from './event-fields.ts'
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
  const version = versionOf(first.args)
  const read = rows.map((row) => ({ line: row.line, event: readEvent(row, version) }))
  // The table of fields gives each event just the arguments that its type has.
  if (version === 'v3') return { version, events: read as unknown as PoolEvents<'v3'>['events'] }
  const {
    fee: feePips,
    tickSpacing,
    hooks,
  } = fieldsOf(first, v4Terms) as { fee: number; tickSpacing: number; hooks: string }
  const terms = { feePips, tickSpacing, hooks }
  return { version, terms, events: read as unknown as PoolEvents<'v4'>['events'] }
}

/** Each event with the line of the file on which it begins. */
export type PoolEvents<Version extends 'v3' | 'v4' = 'v3' | 'v4'> = Version extends 'v3'
  ? { readonly version: 'v3'; readonly events: readonly { readonly line: number; readonly event: PoolEvent }[] }
  : {
      readonly version: 'v4'
      readonly terms: V4PoolTerms
      readonly events: readonly { readonly line: number; readonly event: V4PoolEvent }[]
    }

const v4Terms = { fee: 'count', tickSpacing: 'count', hooks: 'text' } as const satisfies Record<string, Field>

function readEvent(row: Row, version: 'v3' | 'v4') {
  const known = eventFields[version]
  const { eventName, line } = row
  if (typeof eventName !== 'string' || !Object.hasOwn(known, eventName)) {
    throw new Error(`line ${line}: eventName is one of ${Object.keys(known).join(', ')}, not ${nameOf(row)}.`)
  }
  const { timestamp } = fieldsOf({ ...row, args: { timestamp: row.timestamp } }, { timestamp: 'count' }, '')
  return { eventName, timestamp, args: fieldsOf(row, known[eventName] ?? {}) }
}

function fieldsOf(row: Row, fields: Readonly<Record<string, Field>>, prefix = `${nameOf(row)}.`) {
  const read = Object.entries(fields).map(([name, field]) => [name, readField(row, name, field, prefix)])
  return Object.fromEntries(read) as Record<string, string | number | bigint>
}

function readField({ args, line }: Row, name: string, field: Field, prefix: string): string | number | bigint {
  const value = Object.hasOwn(args, name) ? args[name] : undefined
  if (field === 'text') {
    if (typeof value === 'string' && value !== '' && value.length <= 80) return value
  } else {
    const isWhole = typeof value === 'number' ? Number.isSafeInteger(value) : isWholeText(value)
    if (isWhole && field === 'whole') return BigInt(value as string | number)
    if (isWhole && Number.isSafeInteger(Number(value))) return Number(value)
  }
  const shown = value === undefined || value === '' ? 'missing' : `not ${JSON.stringify(value).slice(0, 60)}`
  throw new Error(`line ${line}: ${prefix}${name} is ${accepted[field]}; it is ${shown}.`)
}

const accepted: Readonly<Record<Field, string>> = {
  whole: 'a whole number, written as text where it is beyond 2^53',
  count: 'a whole number up to 2^53',
  text: 'an address, or a salt',
}

function isWholeText(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d{1,78}$/.test(value)
}

function nameOf({ eventName }: Row): string {
  return typeof eventName === 'string' && eventName !== '' ? eventName.slice(0, 40) : 'an event without a name'
}
