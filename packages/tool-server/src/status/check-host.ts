import { lstatSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { forbidDumps } from '@svc/runtime'
import { envFilePath } from '../config/env-file.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, passed, warned } from './setup-check.ts'

/** What a server finds on the machine it runs on: Node, core dumps, room on the disk, and who can read the environment file. */
export async function checkHost(
  dataDir: string,
  place: string,
  host: HostFacts = thisHost,
): Promise<readonly SetupCheck[]> {
  return [
    checkNode(host.nodeVersion),
    checkDumps(host.dumpsLeft()),
    await checkDisk(await host.freeBytes(dataDir), place),
    checkEnvironmentFile(envFilePath(dataDir), place),
  ]
}

/** What is asked of the machine. */
export type HostFacts = {
  /** For example `20.20.2`. */
  readonly nodeVersion: string
  /** What is still to be done against core dumps; `null` where none is made. */
  readonly dumpsLeft: () => string | null
  /** Free for this user where the directory is, or is to be. */
  readonly freeBytes: (directory: string) => Promise<number>
}

const thisHost: HostFacts = {
  nodeVersion: process.versions.node,
  dumpsLeft: forbidDumps,
  async freeBytes(directory) {
    const { bavail, bsize } = await statfs(nearestThere(directory))
    return bavail * bsize
  },
}

function checkNode(version: string): SetupCheck {
  const id = 'node-version'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  if (isEnough) return passed(id, `Node ${version}.`)
  const message = `Node ${version} is older than ${leastMajor}.${leastMinor}, the oldest that this server is tested with.`
  return failed(id, message, `Run: nvm install ${leastMajor}`)
}

/** As the manifest says; a test compares them. */
export const leastMajor = 20
export const leastMinor = 19

function checkDumps(left: string | null): SetupCheck {
  const id = 'core-dumps'
  if (left === null) return passed(id, 'A crash leaves no core dump.')
  return warned(id, left, 'Run before the server in its shell: ulimit -c 0')
}

async function checkDisk(freeBytes: number, place: string): Promise<SetupCheck> {
  const id = 'disk'
  const free = `${Math.floor(freeBytes / mib)} MiB are free where the data directory is`
  if (freeBytes >= 512 * mib) return passed(id, `${free}.`)
  const fix = `Free some of it, or move the directory. Run: du -xah ${place} | sort -h | tail`
  if (freeBytes >= 64 * mib) return warned(id, `${free}.`, fix)
  return failed(id, `${free}: a server that cannot write its journal signs nothing.`, fix)
}

const mib = 1_048_576

/** Settings hold keys, so the file is its owner's alone. */
function checkEnvironmentFile(path: string, place: string): SetupCheck {
  const id = 'env-file'
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined)
    return passed(id, 'There is no environment file; the first start makes one with the API keys.')
  if (!stats.isFile())
    return failed(id, 'The environment file is no plain file.', `Run: mv ${place}/.env ${place}/.env.old`)
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    return failed(id, 'Others than its owner can read the environment file.', `Run: chmod 600 ${place}/.env`)
  return passed(id, 'The environment file can be read by its owner alone.')
}

function nearestThere(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path) return path
  return nearestThere(dirname(path))
}
