import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { parseFlags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { type ClientName, clients, isClientName, serverProgram } from '../setup/clients.ts'
import { shellWord } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'

/** `svc setup --zero`, `svc setup production`, `svc setup client NAME`. */
export async function setup([word, ...rest]: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  if (word === 'client') return client(rest)
  if (word === 'production') {
    const { setupProduction } = await import('./setup-production.ts')
    return setupProduction(rest, directoryOf, stopped)
  }
  if (word === undefined || !word.startsWith('-'))
    throw new UsageError('svc setup takes --zero, production, or client NAME', { seeHelp: true })
  return zero([word, ...rest])
}

/** For trying: reads alone, and no account anywhere. */
async function zero(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'client'], switches: ['zero', 'json'] })
  if (!flags.zero) throw new UsageError('svc setup takes --zero, production, or client NAME', { seeHelp: true })
  const dataDir = directoryOf(flags['data-dir'])
  const name = clientOf(flags.client ?? 'generic')
  const { setUpZero } = await import('../setup/zero.ts')
  const done = await setUpZero(dataDir, randomBytes)
  const configuration = clients[name].stdio(serverProgram(dataDir))
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ dataDir, ...done, client: { name, configuration } })}\n`)
    return 0
  }
  const { file, changed, backup, address, profile } = done
  const kept = backup === null ? '' : `; the former is ${backup}`
  const place = shellWord(dataDir)
  process.stdout.write(`Set up to read markets. Nothing here can move funds.

  settings  ${file} (${changed.length === 0 ? 'as it was' : `${changed.length} written${kept}`})
  profile   ${profile}
  wallet    ${address === null ? 'a managed one' : `${address}, a local key in that file`}
  API keys  read, feedback and write in that file: svc keys show read --data-dir ${place}

For ${clients[name].title} (${clients[name].file}); others: svc setup client NAME

${configuration}

What is wrong, if anything: svc doctor --data-dir ${place}
Over HTTP: svc serve --transport http --data-dir ${place}
Writes need a managed wallet: svc setup production --data-dir ${place} (docs/production.md)
`)
  return 0
}

/** What to put into the settings of one client. */
async function client(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, { values: ['data-dir', 'url'], switches: [] })
  const [word, more] = words
  if (word === undefined || more !== undefined) throw new UsageError(`svc setup client takes one of ${names}`)
  const name = clientOf(word)
  const { stdio, http, file, key } = clients[name]
  const { url } = flags
  if (url !== undefined && !/^https?:\/\/\S+$/.test(url)) throw new UsageError('--url takes where clients reach /mcp')
  process.stderr.write(url === undefined ? `Where: ${file}\n` : `Where: ${file}\n${key} The key: svc keys show NAME\n`)
  process.stdout.write(`${url === undefined ? stdio(serverProgram(directoryOf(flags['data-dir']))) : http(url)}\n`)
  return 0
}

function clientOf(name: string): ClientName {
  if (isClientName(name)) return name
  throw new UsageError(`there is no client of that name here: ${names}`)
}

const names = Object.keys(clients).join(', ')

function directoryOf(flag: string | undefined): string {
  if (flag === '') throw new UsageError('--data-dir takes the name of a directory')
  return resolve(flag ?? (process.env['SVC_DATA_DIR'] || '.svc'))
}
