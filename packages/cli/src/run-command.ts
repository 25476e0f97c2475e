import { readFile } from 'node:fs/promises'
import { untilStopped } from '@svc/tool-server/until-stopped'
import { carryOut, type Command } from './carry-out.ts'
import { helpOf, overview } from './help.ts'
import { nearestName } from './nearest-name.ts'
import { printableText } from './printable-text.ts'
import { untilWritten } from './until-written.ts'

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
  approvals: { foreground: true, load: async () => (await import('./commands/approvals.ts')).approvals },
  transactions: { foreground: true, load: async () => (await import('./commands/transactions.ts')).transactions },
  policy: { foreground: true, load: async () => (await import('./commands/policy.ts')).policy },
  audit: { foreground: false, load: async () => (await import('./commands/audit.ts')).audit },
  pause: { foreground: false, load: async () => (await import('./commands/pause.ts')).pause },
  resume: { foreground: false, load: async () => (await import('./commands/resume.ts')).resume },
  lp: { foreground: true, load: async () => (await import('./commands/lp.ts')).lp },
  demo: { foreground: true, load: async () => (await import('./commands/demo.ts')).demo },
} satisfies Readonly<Record<string, Entry>>
