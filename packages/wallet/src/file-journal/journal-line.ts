import { createHash } from 'node:crypto'
import type { Hash } from 'viem'
import type { JournalEntry, JournalFacts, JournalState } from '../journal.ts'

/** One thing that happened. */
export type JournalLine =
  | { readonly event: 'signed'; readonly entry: JournalEntry }
  | { readonly event: 'marked'; readonly hash: Hash; readonly state: JournalState; readonly facts: JournalFacts }

/** Writes a line as JSON, with a check sum over what it holds and a line feed. */
export function writeLine(line: JournalLine): string {
  const body = JSON.stringify(line, (_key, value: unknown) => (typeof value === 'bigint' ? { int: `${value}` } : value))
  return `{"check":"${checkOf(body)}","line":${body}}\n`
}

/** Reads what {@link writeLine} wrote, without the line feed; `null` for anything else. */
export function readLine(text: string): JournalLine | null {
  const [, check, body] = /^\{"check":"([0-9a-f]{16})","line":(\{.*\})\}$/s.exec(text) ?? []
  if (check === undefined || body === undefined || check !== checkOf(body)) return null
  // The check sum says that this package wrote the line, so its shape is known.
  return JSON.parse(body, revive) as JournalLine
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('int' in value)) return value
  return typeof value.int === 'string' ? BigInt(value.int) : value
}

function checkOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16)
}
