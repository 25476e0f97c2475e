import { createHash, randomUUID } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDirectory } from '@svc/runtime'
import { artifactPackages, packageVersion } from '../artifacts.ts'

/**
 * The file of a seeded chain's state, made by `make` unless a fresh one is in the cache. When several processes ask at
 * once, one makes it and the others wait. The file appears by an atomic rename, so it is always whole.
 */
export async function seededDump(options: {
  readonly cacheDir: string
  /** What the state depends on besides the sources and the packages. */
  readonly variant: string
  /** An older file is made anew; `Infinity` when the state has no date. */
  readonly maxAgeMs: number
  readonly now: () => number
  readonly make: () => Promise<Buffer>
}): Promise<string> {
  const file = join(options.cacheDir, `devnet-${options.variant}-${sourceKey()}.json`)
  const lock = `${file}.lock`
  const isFresh = () => ageMs(file, options.now()) < options.maxAgeMs
  while (!isFresh()) {
    if (!takeLock(lock, options.now())) {
      await sleep(50)
      continue
    }
    try {
      if (isFresh()) continue
      removeForgotten(options.cacheDir, options.now())
      await writeWhole(file, await options.make())
    } finally {
      await rm(lock, { force: true })
    }
  }
  return file
}

/** `named`, else `svc` in the user's cache folder, else in the system's folder for temporary files. */
export function cacheFolder(named: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const candidates = named
    ? [named]
    : [join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc'), join(tmpdir(), 'svc')]
  const writable = candidates.find(isWritable)
  if (!writable)
    throw new Error(`The local chain has nowhere to keep its state: cannot write to ${candidates.join(', ')}`)
  return writable
}

/** Changes with any source file of this package and any version of the packages that hold bytecode. */
function sourceKey(): string {
  const hash = createHash('sha256')
  for (const name of artifactPackages) hash.update(`${name}@${packageVersion(name)}\n`)
  // Compiled or not, the sources lie beside: both ways of running share one cache.
  const sources = new URL('../../src/', import.meta.url)
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).sort()
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    hash.update(file).update(readFileSync(new URL(file, sources)))
  }
  return hash.digest('hex').slice(0, 16)
}

function ageMs(file: string, now: number): number {
  try {
    return now - statSync(file).mtimeMs
  } catch {
    return Infinity
  }
}

/** States of other versions, and drafts of processes that died, once nobody can be using them. */
function removeForgotten(folder: string, now: number): void {
  const files = readdirSync(folder).filter((name) => name.startsWith('devnet-'))
  for (const path of files.map((name) => join(folder, name))) {
    if (ageMs(path, now) > forgottenMs) rmSync(path, { force: true })
  }
}

const forgottenMs = 3 * 24 * 3_600_000

async function writeWhole(file: string, content: Buffer): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, content)
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Longer than any seeding takes: a lock of that age belongs to a process that hangs. */
const lockTimeoutMs = 180_000

function takeLock(lock: string, now: number): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!isErrorWithCode(error, 'EEXIST')) throw error
    if (isAbandoned(lock, now)) rmSync(lock, { force: true })
    return false
  }
}

function isAbandoned(lock: string, now: number): boolean {
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    if (now - statSync(lock).mtimeMs > lockTimeoutMs) return true
    if (owner > 0) process.kill(owner, 0)
    return false
  } catch (error) {
    return isErrorWithCode(error, 'ESRCH')
  }
}

function isErrorWithCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function isWritable(folder: string): boolean {
  try {
    makeDirectory(folder)
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
