import { CsvError, parse } from 'csv-parse/sync'

/** The events of a file as they are written, JSON lines or CSV. Throws Error naming the line that is neither. */
export function rowsOf(text: string): readonly Row[] {
  if (text.trim() === '') return []
  return text.trimStart().startsWith('{') ? jsonRows(text) : csvRows(text)
}

export type Row = {
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
