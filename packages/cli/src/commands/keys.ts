import { resolve } from 'node:path'
import type { OperatorKey, OperatorKeys } from '@svc/tool-server'
import { meantDirectory } from '../own-data-directory.ts'
import { type FlagNames, parseFlags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { table } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'
import { runWord } from './word-commands.ts'

/**
 * `svc keys`: which file holds the API keys of a server, and the name and fingerprint of each; `show NAME` prints one. Of wallets that sign in,
 * `rotate` changes the keys of their tokens, `revoke` and `restore` turn one away and let it in again. Resolves to the exit code: 0 done, 1
 * there is none, or nothing to do, 2 the words of the call are off.
 */
export async function keys(argv: readonly string[]): Promise<number> {
  const [word] = argv
  const isList = word === undefined || word.startsWith('-')
  const words = {
    list,
    show,
    rotate: async (rest: readonly string[]) => (await import('../keys/sign-in-words.ts')).rotate(rest),
    revoke: async (rest: readonly string[]) => (await import('../keys/sign-in-words.ts')).revoke(rest),
    restore: async (rest: readonly string[]) => (await import('../keys/sign-in-words.ts')).restore(rest),
  }
  const takes =
    'svc keys takes nothing, list, show NAME, rotate, revoke WALLET, TOKEN or CALLER, or restore WALLET or CALLER'
  return runWord(isList ? ['list', ...argv] : argv, words, takes)
}

const taken = { values: ['data-dir'], switches: ['json'] } as const satisfies FlagNames<string, string>

async function list(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, taken)
  const { file, keys: found } = await readKeys(flags['data-dir'])
  const shown = found.map(({ name, setting, caller, from }) => ({ name, setting, caller, from }))
  process.stdout.write(flags.json ? `${JSON.stringify({ file, keys: shown })}\n` : listText(file, found))
  return 0
}

async function show(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, taken)
  const [name, more] = words
  if (name === undefined || more !== undefined) throw new UsageError(`svc keys show takes one name: ${names}`)
  if (!names.split(', ').includes(name))
    throw new UsageError(`there is no key of that name; svc keys show takes ${names}`)
  const { file, keys: found } = await readKeys(flags['data-dir'])
  const key = found.find((one) => one.name === name)
  if (key === undefined) throw new Error(`There is no ${name} key yet, neither in the environment nor in ${file}.`)
  const text = flags.json ? JSON.stringify({ name, key: key.key.reveal() }) : key.key.reveal()
  process.stdout.write(`${text}\n`)
  return 0
}

const names = 'read, feedback, write'

/** Throws where no server has left keys, naming the directory that may have been meant. */
async function readKeys(dataDir: string | undefined): Promise<OperatorKeys> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const environment = dataDir === undefined ? process.env : { ...process.env, SVC_DATA_DIR: dataDir }
  const { readOperatorKeys } = await import('@svc/tool-server')
  const read = readOperatorKeys(environment)
  if (read.keys.length > 0) return read
  const meant = await meantDirectory(resolve(environment['SVC_DATA_DIR'] || '.svc'))
  throw new Error(
    `There are no API keys in ${read.file}. ${meant}svc serve --transport http makes them at its first start; name the data directory ` +
      'of the server with --data-dir or SVC_DATA_DIR.',
  )
}

function listText(file: string, found: readonly OperatorKey[]): string {
  const rows = found.map(({ name, setting, caller, from }) => [
    name,
    caller,
    setting,
    from === 'environment' ? 'the environment' : 'the file',
  ])
  return `Keys in ${file}; what the environment names comes before it.\n\n${table([head, ...rows], { alignRight: [] })}
The fingerprint is the caller that policy, approvals and audit log name. One key in full: svc keys show NAME\n`
}

const head = ['NAME', 'FINGERPRINT', 'SETTING', 'FROM']
