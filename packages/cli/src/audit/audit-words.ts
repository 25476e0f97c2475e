import type { AuditLogFiles } from '@svc/engine/switches'
import { ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags, parseWholeNumber } from '../parse-words-and-flags.ts'
import { nearestName } from '@svc/runtime/nearest-name'
import { UsageError } from '../usage-error.ts'
import type { PublicClient } from 'viem'

/**
 * `svc audit verify`: walks the chain of hashes. Exit code 1 when it is broken, with the first line that does not fit, and
 * when a file of it is missing.
 */
export async function verify(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['from', 'data-dir'], switches: ['json'] })
  const from = parseWholeNumber('--from', flags.from, 1, 999_999_999)
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { verifyAuditLog } = await import('@svc/engine/switches')
  const files = await requireLog(dataDir)
  requireFiles(files, from, dataDir)
  const verdict = await verifyAuditLog(dataDir, from === undefined ? {} : { from })
  const { lines, continued, last, isUnfinished, broken } = verdict
  if (flags.json) process.stdout.write(`${JSON.stringify(verdict)}\n`)
  else if (broken === null) {
    const until = last === null ? '' : `, up to number ${last.seq} with hash ${last.hash}`
    process.stdout.write(`Whole: ${lines} ${lines === 1 ? 'line' : 'lines'}${until}.\n`)
    if (continued > 0) process.stdout.write(continuedText(continued))
    if (isEmptyLog(files)) process.stdout.write(`${emptyLog}\n`)
    if (isUnfinished)
      process.stdout.write('A last line is not whole: it is just being written, or a crash cut it off.\n')
  } else {
    process.stdout.write(
      `Broken: line ${broken.line} of ${broken.file} ${broken.how}.\n${lines === 1 ? '1 line before it is' : `${lines} lines before it are`} sound.\n`,
    )
  }
  return broken === null ? 0 : 1
}

function continuedText(times: number): string {
  const how = times === 1 ? 'Once it goes' : `${times} times it goes`
  return `${how} on from where another server of the same database had stopped (audit.continued): the lines between stand in that one's directory.\n`
}

/** Throws where the file to begin with is missing or nothing says where it should begin, and where the newest is gone. */
function requireFiles({ rotated, current, verifiableFrom }: AuditLogFiles, from: number | undefined, dataDir: string) {
  if (current === null) {
    throw new Error(`There is no audit.jsonl in ${dataDir}, only older files: the newest lines were taken away.`)
  }
  const name = (index: number): string => (index === current.number ? 'audit.jsonl' : `audit-${index}.jsonl`)
  const choices = verifiableFrom.map((index) => `--from ${index} (${name(index)})`).join(', ')
  const fix = choices === '' ? 'Put the older files back.' : `It can be verified ${choices}.`
  const start = from ?? 1
  if (start !== current.number && !rotated.includes(start)) {
    throw new Error(`The log in ${dataDir} has no audit-${start}.jsonl. ${fix}`)
  }
  if (!verifiableFrom.includes(start)) {
    throw new Error(
      `Nothing says where ${name(start)} should begin: audit-checkpoints.json holds no checkpoint of ` +
        `audit-${start - 1}.jsonl. ${fix}`,
    )
  }
}

/**
 * The files of the audit log in a data directory. Throws where there are none: a log without lines is a day without
 * writes, while a log that is not there says nothing.
 */
async function requireLog(dataDir: string): Promise<AuditLogFiles> {
  const { auditLogFiles } = await import('@svc/engine/switches')
  const files = await auditLogFiles(dataDir)
  if (files.current === null && files.rotated.length === 0) {
    throw new Error(
      `There is no audit log in ${dataDir}. A server with a wallet writes audit.jsonl there when it starts; if one has run ` +
        'here, its log was taken away.',
    )
  }
  return files
}

/** What is said of a log that is there and holds nothing. */
const emptyLog = 'The audit log is empty.'

/** Whether the log is there and holds nothing. */
function isEmptyLog({ rotated, current }: AuditLogFiles): boolean {
  return rotated.length === 0 && current?.isEmpty === true
}

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

/**
 * `svc audit replay --day D`: plays what was simulated before each signature of a day (UTC) again and compares. Exit code
 * 1 when something differs from what is on record; or when there was something to play and none of it could be.
 */
export async function replay(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['day', 'rpc-url', 'data-dir'], switches: ['json'] })
  const { day = '' } = flags
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new UsageError('svc audit replay takes --day YYYY-MM-DD, a day in UTC')
  }
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { replayAuditDay } = await import('@svc/engine/switches')
  await requireLog(dataDir)
  const client = await clients(flags['rpc-url'], dataDir)
  const counts = { agrees: 0, differs: 0, 'not-replayed': 0 }
  for await (const replayed of replayAuditDay({ dataDir, day, client, now: Date.now })) {
    counts[replayed.status] += 1
    if (flags.json) {
      process.stdout.write(`${JSON.stringify(replayed)}\n`)
      continue
    }
    const head = `${replayed.ts}  ${replayed.tool}: ${replayed.step}, chain ${replayed.chainId}`
    process.stdout.write(`${head}  ${said(replayed)}\n`)
  }
  const all = counts.agrees + counts.differs + counts['not-replayed']
  if (!flags.json && all === 0) process.stdout.write(`Nothing on record was signed on ${day} (UTC).\n`)
  else if (!flags.json) {
    process.stdout.write(
      `${counts.agrees} agree with the record, ${counts.differs} differ, ${counts['not-replayed']} could not be replayed.\n`,
    )
  }
  return counts.differs > 0 || (counts.agrees === 0 && counts['not-replayed'] > 0) ? 1 : 0
}

type Outcome =
  | { readonly status: 'agrees'; readonly block: string }
  | {
      readonly status: 'differs'
      readonly block: string
      readonly tokens: readonly { readonly token: string; readonly recorded: string; readonly now: string }[]
    }
  | { readonly status: 'not-replayed'; readonly why: string }

function said(outcome: Outcome): string {
  if (outcome.status === 'agrees') return `agrees at block ${outcome.block}`
  if (outcome.status === 'not-replayed') return `not replayed: ${outcome.why}`
  if (outcome.tokens.length === 0) return 'DIFFERS: the simulation on record is not the one that was signed on'
  const tokens = outcome.tokens.map(({ token, recorded, now }) => `${token} ${recorded} on record, ${now} now`)
  return `DIFFERS at block ${outcome.block}: ${tokens.join('; ')}`
}

/**
 * The endpoint named, for its own chain; else those the server's settings name, one per chain, the chain of a local world
 * in its directory included. Throws where the one that was named or that belongs to a local world does not answer.
 */
async function clients(rpcUrl: string | undefined, dataDir: string): Promise<(chainId: number) => PublicClient | null> {
  const { createPublicClient, http } = await import('viem')
  const open = (url: string) => createPublicClient({ transport: http(url) })
  if (rpcUrl !== undefined) {
    const client = open(rpcUrl)
    const served = await client.getChainId().catch((cause: unknown) => {
      throw new Error('The endpoint of --rpc-url does not answer.', { cause })
    })
    return (chainId) => (chainId === served ? client : null)
  }
  const { rpcUrls } = await import('@svc/tool-server')
  const { readServerSettings } = await import('../server-settings.ts')
  const { config, worldChains } = await readServerSettings(dataDir, process.env)
  const urlOf = (chainId: number): string | undefined => {
    const chain = config.chains.find(({ id }) => id === chainId)
    return chain === undefined ? undefined : rpcUrls(config.rpc, chain)[0]
  }
  for (const id of worldChains?.ids ?? []) {
    const url = urlOf(id) ?? ''
    const served = await open(url)
      .getChainId()
      .catch(() => null)
    if (served !== id) throw new Error(worldGone(dataDir, url))
    process.stderr.write(`Local world: chain ${id} at ${url}, from ${worldChains?.path}.\n`)
  }
  return (chainId) => {
    const url = urlOf(chainId)
    return url === undefined ? null : open(url)
  }
}

function worldGone(dataDir: string, url: string): string {
  return (
    `The chain of the local world in ${dataDir} does not answer at ${url}: it ends with its svc up. Name an endpoint that ` +
    'knows the blocks of that day with --rpc-url URL.'
  )
}
