import { type BarRow, barsFromRows, type BarsFromRows, LpMathError } from '@svc/lp-math'
import { CsvError, parse } from 'csv-parse/sync'

/**
 * Bars from the text of a CSV file: a header, then one row for each bar that traded, oldest first. Columns may stand in any order and
 * have either name; others are passed over.
 *
 * `startsAt` or `timestamp` (seconds since 1970, or UTC as `2023-08-13 00:01:00`), `openTick`, `lowTick` or `lowestTick`, `highTick` or
 * `highestTick`, `closeTick`, `amount0In` or `inAmount0`, `amount1In` or `inAmount1`, `liquidity` or `currentLiquidity`, and, both or
 * none, `feeGrowth0` and `feeGrowth1`; units as in `Bars` of `@svc/lp-math`.
 * @param barSeconds length of a bar; by default the least distance between two rows.
 * @throws Error naming the line of the file (the header is mostly line 1) and the column.
 */
export function readBarsCsv(text: string, barSeconds?: number): BarsFromRows {
  requireHeader(text)
  const [header, ...records] = parseRecords(text)
  if (header === undefined) throw new Error('The file is empty: its first line names the columns.')
  const columns = findColumns(header)
  if (records.length === 0) throw new Error('The file holds no row below its header.')
  const rows = records.map((record, index) => {
    if (record.length !== header.length) {
      throw new Error(`${lineOf(text, index)} has ${record.length} fields where the header has ${header.length}.`)
    }
    const fields = columns.map((column) => [column.member, readField(record, column, () => lineOf(text, index))])
    return Object.fromEntries(fields) as BarRow
  })
  try {
    return barsFromRows(rows, barSeconds ?? leastDistance(rows))
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw new Error(inWordsOfTheFile(error.message, text, columns), { cause: error })
  }
}

type Column = { readonly member: keyof BarRow; readonly name: string; readonly at: number }

const namesOf: Readonly<Record<keyof BarRow, readonly string[]>> = {
  startsAt: ['startsAt', 'timestamp'],
  openTick: ['openTick'],
  lowTick: ['lowTick', 'lowestTick'],
  highTick: ['highTick', 'highestTick'],
  closeTick: ['closeTick'],
  amount0In: ['amount0In', 'inAmount0'],
  amount1In: ['amount1In', 'inAmount1'],
  liquidity: ['liquidity', 'currentLiquidity'],
  feeGrowth0: ['feeGrowth0'],
  feeGrowth1: ['feeGrowth1'],
}

/** Before anything is said of quotes and fields: most other files have no word of a header in their first line. */
function requireHeader(text: string): void {
  const first = /\S.*/.exec(text)?.[0] ?? ''
  if (first === '' || Object.values(namesOf).some((names) => names.some((name) => first.includes(name)))) return
  const needed = Object.entries(namesOf).filter(([member]) => isNeeded(member))
  const names = needed.map(([, [name]]) => name).join(', ')
  throw new Error(`It has no header with ${names}, so that it is no CSV file of bars.`)
}

function isNeeded(member: string): boolean {
  return !member.startsWith('feeGrowth')
}

const form = { bom: true, relax_column_count: true, skip_empty_lines: true } as const

function parseRecords(text: string): string[][] {
  try {
    return parse(text, form)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = typeof error['lines'] === 'number' ? ` of line ${error['lines']}` : ''
    throw new Error(`The quotes${line} do not match: a quoted field ends with a quote before its comma.`, {
      cause: error,
    })
  }
}

/** Where a row stands in the file, whose lines are more than its rows where some are empty. */
function lineOf(text: string, row: number): string {
  let line = row + 2
  const onRecord = (record: string[], { lines }: { readonly lines: number }) => {
    line = lines
    return record
  }
  parse(text, { ...form, to: row + 2, on_record: onRecord })
  return `line ${line}`
}

function findColumns(header: readonly string[]): Column[] {
  const found = Object.entries(namesOf).map(([member, names]) => ({
    names: names.join(' or '),
    isNeeded: isNeeded(member),
    columns: header.flatMap((name, at) => (names.includes(name) ? [{ member: member as keyof BarRow, name, at }] : [])),
  }))
  const twice = found.find(({ columns }) => columns.length > 1)
  if (twice !== undefined) throw new Error(`The header names ${twice.names} more than once.`)
  const lacking = found.filter(({ isNeeded, columns }) => isNeeded && columns.length === 0)
  if (lacking.length > 0) {
    const named = JSON.stringify(header.join(',').slice(0, 200))
    throw new Error(
      `The header lacks ${lacking.map(({ names }) => names).join(', ')}: it is ${named}. Names are parted by commas and written just so.`,
    )
  }
  return found.flatMap(({ columns }) => columns)
}

function readField(record: readonly string[], { member, name, at }: Column, line: () => string): number {
  const text = record[at] ?? ''
  const value = member === 'startsAt' ? readTime(text) : NUMBER.test(text) ? Number(text) : Number.NaN
  if (Math.abs(value) <= most) return value
  const accepted =
    member === 'startsAt' ? 'seconds since 1970, or UTC as 2023-08-13 00:01:00' : 'a plain number up to 2^128'
  throw new Error(`${line()}: ${name} is ${accepted}, not ${JSON.stringify(text.slice(0, 40))}.`)
}

/** No pool holds more, in liquidity or in the smallest units of a token. */
const most = 2 ** 128
const NUMBER = /^-?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,3})?$/
const SECONDS = /^\d{1,12}$/
const UTC = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?Z?$/

function readTime(text: string): number {
  if (SECONDS.test(text)) return Number(text)
  const [, day, minute, second = ':00'] = UTC.exec(text) ?? []
  const written = `${day}T${minute}${second}.000Z`
  const time = new Date(written)
  // A day that the month does not have would be read as one of the next.
  return Number.isNaN(time.getTime()) || time.toISOString() !== written ? Number.NaN : time.getTime() / 1000
}

/** Of rows in whatever order, which is held afterwards. */
function leastDistance(rows: readonly BarRow[]): number {
  if (rows.length < 2) throw new Error('The file holds one row alone: say with --bar-seconds how long a bar is.')
  const distances = rows.slice(1).map((row, index) => Math.abs(row.startsAt - (rows[index]?.startsAt ?? 0)))
  const least = distances.filter((distance) => distance > 0).reduce((one, other) => Math.min(one, other), Infinity)
  return least === Infinity ? 1 : least
}

function inWordsOfTheFile(message: string, text: string, columns: readonly Column[]): string {
  return message.replace(/^rows\[(\d+)\]\.(\w+)/, (_, index: string, member: string) => {
    const column = columns.find((column) => column.member === member)
    return `${lineOf(text, Number(index))}: ${column?.name ?? member}`
  })
}
