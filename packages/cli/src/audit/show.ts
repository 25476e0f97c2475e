import { nearestName } from '@svc/runtime/nearest-name'
import { UsageError } from '../usage-error.ts'
import { ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { emptyLog, isEmptyLog, requireLog } from './require-log.ts'

/**
 * `svc audit show`: the lines of the log as a table, or as they stand with `--json`, oldest first. When none fits, names of
 * events and tools that there are not are refused; a line of an older version, with names of its own, is shown.
 */
export async function show(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['tool', 'since', 'event', 'request', 'data-dir'], switches: ['json'] })
  const since = flags.since === undefined ? null : sinceOf(flags.since)
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { readAuditLog } = await import('@svc/engine/switches')
  const { printable } = await import('@svc/runtime')
  const files = await requireLog(dataDir)
  let shown = 0
  for await (const { text, isWhole } of readAuditLog(dataDir)) {
    const line = isWhole ? parse(text) : null
    if (line === null) continue
    const event = textOf(line['event'])
    if (flags.tool !== undefined && line['tool'] !== flags.tool) continue
    if (flags.event !== undefined && event !== flags.event && !event.startsWith(`${flags.event}.`)) continue
    if (flags.request !== undefined && line['requestId'] !== flags.request) continue
    if (since !== null && !(textOf(line['ts']) >= since)) continue
    shown += 1
    process.stdout.write(flags.json ? `${text}\n` : `${rowOf(line, printable)}\n`)
  }
  if (shown > 0) return 0
  if (flags.event !== undefined) await requireEvent(flags.event)
  if (flags.tool !== undefined) await requireTool(flags.tool)
  if (!flags.json) process.stdout.write(`${isEmptyLog(files) ? emptyLog : 'No line fits.'}\n`)
  return 0
}

type Line = Readonly<Record<string, unknown>>

function rowOf(line: Line, printable: (text: string, maxLength?: number) => string): string {
  const head = [textOf(line['seq']).padStart(6), textOf(line['ts']), textOf(line['event']).padEnd(18)]
  return printable([...head, ...tellingFacts(line)].join('  '), 400)
}

/** What a person looks for in a line, in the order of a sentence. */
function tellingFacts(line: Line): readonly string[] {
  const member = (name: string, of: Line = line): Line => {
    const value = of[name]
    return typeof value === 'object' && value !== null ? (value as Line) : {}
  }
  const transaction = member('transaction')
  const [rule, error] = [member('decision')['rule'], member('result')['error']]
  const facts: readonly (readonly [string, unknown])[] = [
    ['', line['tool']],
    ['', transaction['label'] ?? line['step']],
    ['', typeof line['approved'] === 'boolean' ? (line['approved'] ? 'approved' : 'denied') : ''],
    ['operation', line['operationId']],
    ['policy', textOf(line['event']).startsWith('policy.') ? textOf(line['policyHash']).slice(0, 12) : ''],
    ['', Array.isArray(line['problems']) ? line['problems'].map(textOf).join('; ') : ''],
    ['chain', transaction['chainId'] ?? line['chainId']],
    ['to', transaction['to']],
    ['tx', transaction['hash']],
    ['usd', line['spendUsd'] ?? line['spentUsd']],
    ['gas', line['event'] === 'tx.settled' ? line['gasUsd'] : ''],
    ['rule', rule === error ? '' : rule],
    ['error', error],
    ['by', line['by'] ?? member('actor')['principal']],
    ['reason', line['reason'] ?? line['cause']],
    ['count', line['count']],
    ['request', line['requestId']],
  ]
  return facts.flatMap(([name, value]) =>
    textOf(value) === '' ? [] : [name === '' ? textOf(value) : `${name} ${textOf(value)}`],
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

function parse(text: string): Line | null {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : null
  } catch {
    return null
  }
}

/** As the lines have it, so that texts compare like times. */
function sinceOf(text: string): string {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new UsageError('--since takes a time such as 2026-01-31 or 2026-01-31T12:00:00Z')
  return new Date(at).toISOString()
}

/** Throws `UsageError` for an event that no line can be of, naming those there are. The beginning of one will do. */
async function requireEvent(event: string): Promise<void> {
  const { auditEventNames } = await import('@svc/engine/switches')
  const names: readonly string[] = auditEventNames
  if (names.some((name) => name === event || name.startsWith(`${event}.`))) return
  throw unknown('event', event, names, ' The first words of one will do, such as "tx".')
}

/** Throws `UsageError` for a tool that this version does not have, naming those it has. */
async function requireTool(tool: string): Promise<void> {
  const { catalogue } = await import('@svc/tool-server')
  const names = catalogue.map(({ name }) => name).toSorted()
  if (!names.includes(tool)) throw unknown('tool', tool, names, '')
}

function unknown(flag: string, written: string, names: readonly string[], more: string): UsageError {
  const nearest = nearestName(written, names)
  const meant = nearest === null ? '' : ` Did you mean "${nearest}"?`
  return new UsageError(
    `There is no ${flag} "${written.slice(0, 64)}".${meant}\n--${flag} takes: ${names.join(', ')}.${more}`,
  )
}
