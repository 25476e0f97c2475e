import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChainClient, connect } from './chain-client.ts'

/**
 * Runs one anvil process until `stop()`. It ends with this process too, however that ends: on an ordinary exit by a
 * hook, on a kill by a watcher that waits for the pipe from here to close. Rejects when anvil does not answer within
 * `readyTimeoutMs`.
 */
export async function startAnvil(options: {
  readonly path: string
  readonly chainId: number
  /** 0 for any free port. */
  readonly port: number
  readonly args: readonly string[]
  readonly readyTimeoutMs: number
  /** How long `stop` waits for an orderly end. 2,000 when absent. */
  readonly exitTimeoutMs?: number
}): Promise<Anvil> {
  const args = ['--host', '127.0.0.1', '--port', String(options.port), '--chain-id', String(options.chainId)]
  const states = mkdtempSync(join(tmpdir(), 'svc-chain-'))
  const child = spawn(options.path, [...args, ...keptStates(states, options.args), ...options.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => {
    const settle = () => {
      rmSync(states, { recursive: true, force: true })
      resolve()
    }
    child.once('exit', settle)
    child.once('error', settle)
  })
  const killNow = () => void child.kill('SIGKILL')
  process.once('exit', killNow)
  watchParent(child, states)
  const stop = async () => {
    child.kill('SIGINT')
    const timer = setTimeout(killNow, options.exitTimeoutMs ?? 2_000)
    await exited
    clearTimeout(timer)
    process.off('exit', killNow)
  }
  try {
    const rpcUrl = await listeningUrl(child, options.readyTimeoutMs)
    const client = connect(rpcUrl)
    await answering(client, options.readyTimeoutMs)
    await client.request({ method: 'anvil_setLoggingEnabled', params: [false] })
    return { rpcUrl, client, pid: child.pid ?? 0, exited, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export type Anvil = {
  readonly rpcUrl: string
  readonly client: ChainClient
  readonly pid: number
  /** Settles when the process has ended, for whatever reason. */
  readonly exited: Promise<void>
  /** SIGINT, and SIGKILL when that takes too long; settles when the process has ended. */
  readonly stop: () => Promise<void>
}

/**
 * The states of old blocks, a file of more than a megabyte each: by default anvil writes up to 3,600 of them to the
 * user's home, and leaves them there whenever it is killed.
 */
const keptStates = (folder: string, args: readonly string[]) => [
  '--cache-path',
  folder,
  // One that prunes keeps none, and takes no number of them.
  ...(args.some((arg) => ['--prune-history', keptStatesFlag].includes(arg)) ? [] : [keptStatesFlag, '500']),
]

/** How many states of old blocks are kept in files. */
export const keptStatesFlag = '--max-persisted-states'

/** Anvil says on stdout where it listens, which is how a free port chosen by the system becomes known. */
async function listeningUrl(child: ChildProcess, timeoutMs: number): Promise<string> {
  return await new Promise((resolve, reject) => {
    let output = ''
    const fail = (why: string) => reject(new Error(`anvil ${why}. It said: ${output.trim().slice(-500)}`))
    const timer = setTimeout(() => fail(`did not listen within ${timeoutMs} ms`), timeoutMs)
    const settle = (then: () => void) => {
      clearTimeout(timer)
      then()
    }
    child.once('error', (error) => settle(() => reject(new Error(`anvil did not start: ${error.message}`))))
    // 'close', not 'exit': what it said may still be in the pipe when it ends.
    child.once('close', (code, signal) => settle(() => fail(`ended before it listened (${code ?? signal})`)))
    const read = (chunk: Buffer) => {
      if (output.length > 100_000) return
      output += chunk.toString()
      const address = /Listening on (\S+)/.exec(output)?.[1]
      if (address) settle(() => resolve(`http://${address}`))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
  })
}

async function answering(client: ChainClient, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      await client.request({ method: 'eth_chainId' })
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(5)
    }
  }
}

/** A shell that outlives a killed parent just long enough to take anvil and its files with it. Windows has no such shell. */
function watchParent(child: ChildProcess, states: string): void {
  if (process.platform === 'win32' || child.pid === undefined) return
  const script = `trap '' INT TERM HUP; read -r line; kill -9 ${child.pid} 2>/dev/null; rm -rf -- "$1"`
  const watcher = spawn('sh', ['-c', script, 'sh', states], { stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.on('error', () => {})
  watcher.unref()
  child.once('exit', () => watcher.kill('SIGKILL'))
}

/**
 * Finds the anvil program: `SVC_ANVIL_PATH`, then the binary that npm installed for Linux on x64, then `anvil` on PATH.
 * Throws an error that says how to get one when none of them is an executable file.
 */
export function anvilPath(env: Environment, packaged: string | null = packagedPath()): string {
  const named = env['SVC_ANVIL_PATH']
  if (named) {
    if (isExecutable(named)) return named
    throw new Error(`SVC_ANVIL_PATH is ${named}, which is not an executable file. ${howToGetOne}`)
  }
  const found = [packaged, ...pathCandidates(env)].find((path) => path !== null && isExecutable(path))
  if (found) return found
  throw new Error(`The local chain needs the program anvil, and none was found. ${howToGetOne}`)
}

type Environment = Readonly<Record<string, string | undefined>>

const howToGetOne =
  'On Linux x64, npm installs it with the optional dependencies. On macOS, and on Linux for other processors, install ' +
  'Foundry (curl -L https://foundry.paradigm.xyz | bash, then foundryup). On Windows, use Foundry inside WSL, or the ' +
  'release archive that holds anvil.exe. Then put anvil on PATH, or its full path into SVC_ANVIL_PATH.'

function packagedPath(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const manifest = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json')
    return join(dirname(manifest), 'bin', 'anvil')
  } catch {
    return null
  }
}

function pathCandidates(env: Environment): string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const names = process.platform === 'win32' ? ['anvil.exe'] : ['anvil']
  return folders.flatMap((folder) => names.map((name) => join(folder, name)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
