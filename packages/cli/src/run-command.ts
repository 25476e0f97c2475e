import { type StopCause, untilStopped } from '@svc/tool-server/until-stopped'
import { printableText } from './terminal-text.ts'
import { UsageError } from './usage-error.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import { helpOf, overview } from './help.ts'
import { nearestName } from '@svc/runtime/nearest-name'

/**
 * Finds and runs a command of `svc`; commands are loaded only when they run. `--help` anywhere prints what there is, after a
 * command (or `help` before it) what that command takes, and runs nothing. Resolves to the exit code, 0 done, 1 the command failed, 2 the words
 * of the call are off, once all that was printed has been taken.
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined
  if (command === undefined || rest.includes('--help') || rest.includes('-h')) {
    const exitCode = await printFacts(name, rest[0])
    await untilWritten([process.stdout, process.stderr])
    return exitCode
  }
  // Before anything else: loading a command takes a while, and whoever started us may not wait for it.
  const stopped = untilStopped({ environment: process.env, foreground: command.foreground })
  const exitCode = await carryOut(name, command.load, rest, stopped)
  await untilWritten([process.stdout, process.stderr], stopped)
  return exitCode
}

/** What is said without a command: help, as a whole or of one command, the version, or that there is no such command. */
async function printFacts(name: string, about: string | undefined): Promise<number> {
  const isHelp = ['help', '--help', '-h'].includes(name)
  if (isHelp && (about === undefined || about.startsWith('-'))) {
    process.stdout.write(overview)
    return 0
  }
  if (isHelp && about !== undefined) return printFacts(about, undefined)
  if (Object.hasOwn(commands, name)) {
    process.stdout.write(helpOf(name))
    return 0
  }
  if (['version', '--version', '-V'].includes(name)) {
    const facts = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
    process.stdout.write(`svc ${facts.version}\n`)
    return 0
  }
  const nearest = nearestName(name, Object.keys(commands))
  const meant = nearest === null ? '' : ` Did you mean ${nearest}?`
  process.stderr.write(`svc: there is no command "${printableText(name.slice(0, 40))}".${meant} See: svc help\n`)
  return 2
}

type Entry = { readonly foreground: boolean; readonly load: () => Promise<Command> }

/** By the word that stands for each in `svc help`. */
export const commands = {
  up: { foreground: true, load: async () => (await import('./commands/up.ts')).up },
  serve: { foreground: false, load: async () => (await import('./commands/serve.ts')).serve },
  setup: { foreground: true, load: async () => (await import('./commands/setup.ts')).setup },
  doctor: { foreground: true, load: async () => (await import('./commands/doctor.ts')).doctor },
  keys: { foreground: false, load: async () => (await import('./commands/keys.ts')).keys },
  approvals: { foreground: true, load: async () => (await import('./commands/word-commands.ts')).approvals },
  transactions: { foreground: true, load: async () => (await import('./commands/word-commands.ts')).transactions },
  policy: { foreground: true, load: async () => (await import('./commands/word-commands.ts')).policy },
  audit: { foreground: false, load: async () => (await import('./commands/word-commands.ts')).audit },
  memory: { foreground: true, load: async () => (await import('./commands/memory.ts')).memory },
  status: { foreground: false, load: async () => (await import('./commands/status.ts')).status },
  'verify-chains': {
    foreground: true,
    load: async () => (await import('./commands/verify-chains.ts')).verifyChains,
  },
  pause: { foreground: false, load: async () => (await import('./commands/pause.ts')).pause },
  resume: { foreground: false, load: async () => (await import('./commands/pause.ts')).resume },
  backup: { foreground: true, load: async () => (await import('./commands/backup.ts')).backup },
  restore: { foreground: true, load: async () => (await import('./commands/restore.ts')).restore },
  lp: { foreground: true, load: async () => (await import('./commands/word-commands.ts')).lp },
  demo: { foreground: true, load: async () => (await import('./commands/demo.ts')).demo },
} satisfies Readonly<Record<string, Entry>>

/**
 * Settles once whoever reads has taken all that was written to the streams, however long that takes, or a second after the
 * process was asked to end: a pipe holds 64 KiB, and what is still behind it goes with the process. `stopped` is absent
 * where a signal ends the process by itself.
 */
async function untilWritten(streams: readonly NodeJS.WritableStream[], stopped?: Promise<unknown>) {
  const written = Promise.all(
    streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  )
  const given = stopped === undefined ? [] : [stopped.then(() => sleep(patienceMs, undefined, { ref: false }))]
  await Promise.race([written, ...given])
}

const patienceMs = 1_000

/**
 * Loads a command of `svc` and runs it with these words. Resolves to its exit code; what it throws is said on stderr after the
 * command's name, and is exit code 2 where the words of the call are off, else 1.
 */
export async function carryOut(
  name: string,
  load: () => Promise<Command>,
  words: readonly string[],
  stopped: Promise<StopCause>,
): Promise<number> {
  try {
    const run = await Promise.race([load(), stopped.then(() => asked)])
    return await run(words, stopped)
  } catch (thrown) {
    const error = withoutWorld(thrown) ?? (await unusableDirectory(thrown, words)) ?? thrown
    const message = printableText(error instanceof Error ? error.message : String(error))
    const pointer = error instanceof UsageError && error.seeHelp ? `\nSee: svc help ${name}` : ''
    process.stderr.write(`${message.startsWith(`svc ${name} `) ? '' : `svc ${name}: `}${message}${pointer}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** Our words where the local world is not there: it holds contracts of others, some under copyleft licences, so a clone has it, and no installation. */
function withoutWorld(error: unknown): Error | null {
  if (!(error instanceof Error && /^Cannot find (?:package|module) '@svc\/devnet/.test(error.message))) return null
  return new Error(
    'the local world comes with a clone of the repository, not with this package. There: npm ci && npm start',
    {
      cause: error,
    },
  )
}

/** Our words for a data directory that is none, or into which this user may not look; `null` for any other error. */
async function unusableDirectory(error: unknown, words: readonly string[]): Promise<Error | null> {
  if (!(error instanceof Error && 'code' in error) || !/^(ENOTDIR|EACCES|EPERM)$/.test(String(error.code))) return null
  const { directoryRefusal, serverDirectoryFix } = await import('./own-data-directory.ts')
  const named = words[words.indexOf('--data-dir') + 1]
  const inOne = words.find((word) => word.startsWith('--data-dir='))?.slice('--data-dir='.length)
  const flag = words.includes('--data-dir') ? named : inOne
  return directoryRefusal(error, flag ?? (process.env['SVC_DATA_DIR'] || '.svc'), serverDirectoryFix)
}

/** A command: its flags, and what resolves when it is asked to end. Resolves to the exit code. */
type Command = (argv: readonly string[], stopped: Promise<StopCause>) => Promise<number>

const asked: Command = async () => 0
