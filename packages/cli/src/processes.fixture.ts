import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { ReadyLine } from './ready-line.ts'

export const repository = fileURLToPath(new URL('../../../', import.meta.url))
/** The command in few files, which starts in half the time; `installedProgram` is what stands in the manifest. */
export const program = inject('bundledProgram')
export const installedProgram = join(repository, 'packages/cli/bin/svc.js')

/**
 * Runs a command in a session of its own, with temporary files in a directory of its own, and keeps what it prints.
 * npm's marks are taken out of the environment, so that the program does not think itself started by npm.
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Run {
  const temporary = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))
  const files = join(temporary, 'files')
  mkdirSync(files)
  const plain = Object.entries(process.env).filter(([name]) => !/^(npm_|SVC_|LOG_LEVEL)/i.test(name))
  const child = spawn(command, args, {
    cwd: options.cwd ?? repository,
    env: { ...Object.fromEntries(plain), TMPDIR: files, ...options.env },
    stdio: 'pipe',
    detached: true,
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (printed.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (printed.stderr += text))
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'))
  })
  const session = child.pid ?? 0
  return {
    child,
    session,
    printed,
    exited,
    living: () => living(session),
    leftFiles: () => readdirSync(files),
    async said(pattern) {
      for (const until = performance.now() + patienceMs; performance.now() < until; await sleep(20)) {
        const found = pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr)
        if (found !== null) return found[0]
        // Looking at every process costs milliseconds: not before it is known that the first has ended.
        if (child.exitCode !== null && living(session).length === 0) break
      }
      throw new Error(`${pattern.source} was not said, but: ${printed.stdout}\n${printed.stderr}`)
    },
    async end() {
      for (const { pid } of living(session)) kill(pid)
      await exited
      rmSync(temporary, { recursive: true, force: true })
    },
  }
}

/** A command of `svc` as a process, to its end. */
export async function runToEnd(words: readonly string[], options: RunOptions = {}) {
  const command = run(process.execPath, [program, ...words], options)
  const code = await command.exited
  await command.end()
  return { code, ...command.printed }
}

/** `svc up --json` on any free ports, directly under this process. */
export function runUp(flags: readonly string[] = [], options: RunOptions = {}): Run {
  return run(process.execPath, [program, ...upOnAnyPort, ...flags], options)
}

export const upOnAnyPort = ['up', '--json', '--mcp-port', '0', '--rpc-port', '0', '--api-port', '0']

export async function readyLine(world: Run): Promise<ReadyLine> {
  return JSON.parse(await world.said(/^\{"ready":.*$/m)) as ReadyLine
}

/** Settles once no process of the session lives. Throws when some still do after longer than any busy machine takes. */
export async function goneAfter(world: Run): Promise<void> {
  const asked = performance.now()
  while (world.living().length > 0) {
    if (performance.now() - asked > patienceMs) {
      throw new Error(`After ${patienceMs} ms there are still: ${JSON.stringify(world.living())}`)
    }
    await sleep(20)
  }
}

export type RunOptions = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

export type Run = {
  readonly child: ChildProcess
  /** Also the id of the first process and of its group. */
  readonly session: number
  readonly printed: { readonly stdout: string; readonly stderr: string }
  /** Exit code or signal, once both streams have ended. */
  readonly exited: Promise<number | NodeJS.Signals>
  /** The processes of the session. A zombie is none: only its parent can take it away. */
  living(): readonly { readonly pid: number; readonly parent: number; readonly name: string }[]
  /** What stands in the directory for temporary files. */
  leftFiles(): readonly string[]
  /** Waits for a text on stdout or stderr. */
  said(pattern: RegExp): Promise<string>
  /** Kills what lives and removes the files. */
  end(): Promise<void>
}

const patienceMs = 120_000

function living(session: number) {
  return readdirSync('/proc').flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : null
    return stat === null || stat.session !== session || /[ZX]/.test(stat.state) ? [] : [stat]
  })
}

/** proc(5): pid (name) state parent group session. */
function readStat(pid: number) {
  try {
    const found = /^(\d+) \((.*)\) (\S) (\d+) \d+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    const [, , name = '', state = 'X', parent, session] = found ?? []
    return { pid, name, state, parent: Number(parent), session: Number(session) }
  } catch {
    return null
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
