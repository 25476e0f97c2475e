import { randomUUID } from 'node:crypto'
import { link, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { WalletError } from '../wallet-error.ts'

/**
 * Takes a file for this process by a lock beside it, which names the process; the lock of a process that is dead is
 * replaced. Gives the way to release it. Throws `JOURNAL_LOCKED` while another one lives that has it, or may live: a
 * process on another host, or in another container on this one, is not known to be dead.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`
  const own = JSON.stringify({ ...(await identityOf('self')), token: randomUUID() })
  if (!(await place(lock, own))) {
    // One process at a time may replace a lock, so that none removes the lock that another just placed: it takes the
    // lock itself for that, in the same way, since it may die meanwhile as well.
    const release = await lockFile(lock)
    try {
      const holder = await readFile(lock, 'utf8').catch(() => null)
      if (holder !== null) {
        if (isSameProcess(readIdentity(holder), readIdentity(own))) throw openHere(path, lock)
        if (await mayLive(holder)) throw locked(path, lock)
        await rm(lock, { force: true })
      }
      if (!(await place(lock, own))) throw locked(path, lock)
    } finally {
      await release()
    }
  }
  return async () => {
    if ((await readFile(lock, 'utf8').catch(() => null)) === own) await rm(lock, { force: true })
  }
}

type Identity = {
  readonly host: string
  readonly pid: number
  /** Of the machine's start, and clock ticks from it to the process's; `null` where the system does not tell. */
  readonly boot: string | null
  readonly startedAt: string | null
  /** Within which its process id counts: two containers may have one host name, and each its own processes. */
  readonly pidNamespace: string | null
}

/** Places the text as a file, whole from the start, unless there is one. */
async function place(lock: string, text: string): Promise<boolean> {
  const beside = `${lock}.${randomUUID()}`
  await writeFile(beside, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(beside, lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(beside, { force: true })
  }
}

async function mayLive(holder: string): Promise<boolean> {
  const { host, pid, boot, startedAt, pidNamespace } = readIdentity(holder)
  if (host !== hostname()) return true
  const now = await identityOf(pid)
  // A process id is used again after a restart of the machine, or after a while.
  if (boot !== null && now.boot !== null && boot !== now.boot) return false
  if (pidNamespace !== now.pidNamespace) return true
  if (startedAt !== null && now.startedAt !== null) return startedAt === now.startedAt
  return isRunning(pid)
}

function readIdentity(text: string): Identity {
  try {
    const { host, pid, boot, startedAt, pidNamespace } = JSON.parse(text) as Identity
    return { host, pid, boot, startedAt, pidNamespace }
  } catch {
    return { host: '', pid: 0, boot: null, startedAt: null, pidNamespace: null }
  }
}

function isSameProcess(one: Identity, other: Identity): boolean {
  const { host, pid, boot, startedAt, pidNamespace } = one
  const isNamed = pid === other.pid && host === other.host
  return isNamed && boot === other.boot && startedAt === other.startedAt && pidNamespace === other.pidNamespace
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** By `/proc`, where there is one: the 22nd field of `stat`, counted behind the name, which may hold spaces. */
async function identityOf(who: 'self' | number): Promise<Identity> {
  const [boot, stat, pidNamespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null),
    readFile(`/proc/${who}/stat`, 'utf8').catch(() => null),
    readlink('/proc/self/ns/pid').catch(() => null),
  ])
  const startedAt = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  return {
    host: hostname(),
    pid: who === 'self' ? process.pid : who,
    boot: boot?.trim() ?? null,
    startedAt,
    pidNamespace,
  }
}

function locked(path: string, lock: string): WalletError {
  return new WalletError('JOURNAL_LOCKED', `The file ${path} is not free: another process has it.`, {
    details: { path, lock },
  })
}

function openHere(path: string, lock: string): WalletError {
  return new WalletError('JOURNAL_LOCKED', `The file ${path} is not free: this process has it open already.`, {
    suggestion: 'Make one journal and give it to all that need it, or close the other one first.',
    details: { path, lock },
  })
}
