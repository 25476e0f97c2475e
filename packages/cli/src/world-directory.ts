import { access, chmod, readdir, rename, rm, writeFile, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { directoryObstacle, makeDirectory } from '@svc/runtime'
import { acquireServerLock } from '@svc/store'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Address, Hex } from 'viem'
import { directoryRefusal } from './own-data-directory.ts'

/**
 * The directory a local world keeps its state in, and the wallet key that belongs to it. Without `path` it is temporary and goes
 * with the process. A named one keeps its keys from run to run, while the state of the last run's chain, which is gone, is
 * cleared. Throws, and changes nothing, when a server runs on the directory, when it holds anything that is not a local world's, or
 * when the system lets nothing be kept there.
 */
export async function openWorldDirectory(path: string | undefined): Promise<WorldDirectory> {
  if (path === undefined) return openTemporary()
  return openNamed(resolve(path)).catch(async (error: unknown) => {
    throw (await directoryRefusal(error, path, 'Name one that can be with --data-dir.')) ?? error
  })
}

export type WorldDirectory = {
  readonly path: string
  readonly privateKey: Hex
  readonly walletAddress: Address
  /** Whether state of the last run, whose chain is gone, was there and is cleared. */
  readonly cleared: boolean
  /** Lets a server take the directory over, which until then is reserved for this process. */
  release(): void
  /** Removes the directory if it is temporary. */
  dispose(): void
}

/** The key is written here as well: by it every other command knows the directory for a local world's. */
async function openTemporary(): Promise<WorldDirectory> {
  const path = makeTemporary()
  const remove = () => removeWhole(path)
  process.once('exit', remove)
  const key = newKey()
  await writeKey(join(path, worldMarker), key)
  return {
    path,
    cleared: false,
    ...walletOf(key),
    release: () => {},
    dispose() {
      process.off('exit', remove)
      remove()
    },
  }
}

function makeTemporary(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'svc-up-'))
  } catch (cause) {
    const obstacle = directoryObstacle(cause)
    if (obstacle === null) throw cause
    const message = `TMPDIR (${tmpdir()}) takes no directory: ${obstacle}. Name another, or use --data-dir.`
    throw new Error(message, { cause })
  }
}

/** What is still being written when the process ends may put a file there in the middle of it, so it is tried again. */
function removeWhole(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 })
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    process.stderr.write(`The temporary directory ${path} could not be removed (${reason}). Remove it by hand.\n`)
  }
}

async function openNamed(path: string): Promise<WorldDirectory> {
  makeDirectory(path)
  const known = await readWorldKey(path)
  if (known === null && (await readdir(path)).some((name) => !isOwn(name))) {
    throw new Error(`${path} holds something else than a local world. Name a new or an empty directory.`)
  }
  const lock = await acquireServerLock(path)
  const release = () => lock.release()
  try {
    await chmod(path, 0o700)
    const gone = (await readdir(path)).filter((name) => chainBoundFiles.has(name) || /^audit-\d+\.jsonl$/.test(name))
    for (const name of gone) await rm(join(path, name), { recursive: true, force: true })
    const key = known ?? newKey()
    if (known === null) await writeKey(join(path, worldMarker), key)
    return { path, cleared: gone.some((name) => name !== 'chains.json'), ...walletOf(key), release, dispose: release }
  } catch (error) {
    release()
    throw error
  }
}

/** The file by which a directory is known to be a local world's: it holds the wallet's key. */
export const worldMarker = 'local-world.json'

/** Where a world that is up says where its parts are, and its keys, for programs beside it. */
export const readyFile = 'ready.json'

/** What is to become that file; a start that is killed may leave it. */
export const readyDraft = `${readyFile}.draft`

/** Where examples/register-agent.mjs keeps its agent. */
const exampleAgentFolder = 'agent'

/** What a start that was cut off may leave behind, whole or as a draft. */
const ownNames = [worldMarker, 'server.lock']

/** What an owner may lay into a new directory before the first start. */
const laidInNames: ReadonlySet<string> = new Set(['policy.json', 'policy.test.json'])

const isOwn = (name: string): boolean => laidInNames.has(name) || ownNames.some((own) => name.startsWith(own))

/** Files and directories that speak of transactions on a chain which ended with the last run. */
const chainBoundFiles: ReadonlySet<string> = new Set([
  'state.db',
  'state.db-wal',
  'state.db-shm',
  'audit.jsonl',
  'recorded-decisions.json',
  'recorded-sign-ins.json',
  // The pauses of earlier runs that have ended; one that stands is a file of its own.
  'resumed.json',
  'audit-checkpoints.json',
  'breaker.json',
  'recorded.json',
  'balances.json',
  // Of earlier versions, which kept there what the store keeps now.
  'owed-allowances.json',
  'owed-allowances.json.imported',
  'chains.json',
  'support-api',
  readyFile,
  readyDraft,
  exampleAgentFolder,
])

const newKey = (): Hex => `0x${randomBytes(32).toString('hex')}`

function walletOf(privateKey: Hex) {
  return { privateKey, walletAddress: new ServiceWallet({ mode: 'local', privateKey }).address }
}

/** By rename: a process killed in between leaves no half of it. */
async function writeKey(marker: string, privateKey: Hex): Promise<void> {
  const draft = `${marker}.${process.pid}`
  await writeFile(draft, `${JSON.stringify({ privateKey })}\n`, { mode: 0o600, flush: true })
  await rename(draft, marker)
}

/** The file of the chain of the local world whose data directory this is; `null` in any other. */
export async function findWorldChains(directory: string): Promise<string | null> {
  if ((await readWorldKey(directory)) === null) return null
  const path = join(directory, 'chains.json')
  return access(path).then(
    () => path,
    () => null,
  )
}

/** The key of a local world's wallet; `null` for a directory that is none's. Throws for a damaged marker. */
export async function readWorldKey(directory: string): Promise<Hex | null> {
  const marker = join(directory, worldMarker)
  const text = await readFile(marker, 'utf8').catch(() => null)
  if (text === null) return null
  const key = /^\{"privateKey":"(0x[0-9a-f]{64})"\}$/.exec(text.trim())?.[1]
  if (key === undefined) throw new Error(`${marker} is damaged. Remove it with its directory, or name another one.`)
  return key as Hex
}
