import { lstatSync } from 'node:fs'
import { statfs, access, constants, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forbidDumps } from '@svc/runtime'
import { envFilePath } from '../config/env-file.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, passed, warned } from './check-settings.ts'
import { ToolError } from '@svc/amm'
import { type Policy, readOwedAllowances } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'

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

/** Whether the data directory can be written and is closed to others. Without a wallet it need not exist. */
export async function checkDataDir(path: string, needed: boolean, place: string): Promise<SetupCheck> {
  const id = 'data-dir'
  const stats = await stat(path).catch(() => null)
  if (stats === null) {
    if (!needed) return passed(id, 'There is no data directory, and none is needed yet.')
    const fix = `Create the directory SVC_DATA_DIR names. Run: install -d -m 700 ${place}`
    return failed(id, 'The data directory does not exist.', fix)
  }
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!stats.isDirectory() || !writable) {
    const fix = `Give this user the directory. Run: chown "$USER" ${place}`
    return failed(id, 'The data directory cannot be written.', fix)
  }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    return warned(id, 'Others can look into the data directory.', `Run: chmod 700 ${place}`)
  const isReadable = await readOwedAllowances(path).then(
    () => true,
    () => false,
  )
  if (isReadable) return passed(id, 'The data directory is private and can be written.')
  return failed(
    id,
    'owed-allowances.json makes no sense, and nothing is signed until it does.',
    `See which allowances of the wallet stand, take back what should not, then remove the file. Run: mv ${place}/owed-allowances.json ${place}/owed-allowances.bad`,
  )
}

/** The key that owns a managed wallet's policy lies in a directory until somebody takes it away. */
export async function checkOwnerKey(path: string, place: string): Promise<readonly SetupCheck[]> {
  const isThere = await stat(join(path, ownerKeyName)).then(
    () => true,
    () => false,
  )
  if (!isThere) return []
  const message = `${ownerKeyName} is still here: who has it can lift the policy of the wallet at its provider.`
  return [
    warned(
      'owner-key',
      message,
      `Copy ${place}/${ownerKeyName} to another machine. Then run: shred -u ${place}/${ownerKeyName}`,
    ),
  ]
}

/** The file in the data directory that holds a new owner's key until it is moved. */
export const ownerKeyName = 'owner-key.txt'

/** Whether the operator's policy can be read, is as strict as production's, and lets any token through. */
export async function checkPolicy(
  config: Config,
  ports: Pick<Ports, 'chains'>,
  policyNow: () => Promise<Policy>,
  place: string,
): Promise<readonly SetupCheck[]> {
  const id = 'policy'
  const check = `svc policy check --data-dir ${place}`
  const policy = await policyNow().catch((error: unknown) => (error instanceof ToolError ? error : null))
  if (policy === null)
    return [failed(id, 'policy.json cannot be read.', `Give this user the file. Run: chmod 600 ${place}/policy.json`)]
  if (policy instanceof ToolError) return [failed(id, policy.message, `${policy.suggestion} Run: ${check}`)]
  const tokens = checkTokens(config, ports, policy, place)
  if (config.production && policy.allowlist.mode === 'lenient') {
    const fix = 'Set allowlist.mode to "strict" in policy.json.'
    return [warned(id, 'The policy lets tokens through that nobody listed.', fix), ...tokens]
  }
  const exists = await stat(policyPath(config)).then(
    () => true,
    () => false,
  )
  const message = exists ? 'policy.json is in order.' : 'There is no policy.json, so the defaults hold.'
  return [passed(id, message), ...tokens]
}

export function policyPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'policy.json')
}

/** A strict list without a token on a chain lets nothing be traded there. */
function checkTokens(
  { wallet, profile, rpc }: Config,
  { chains }: Pick<Ports, 'chains'>,
  { allowlist }: Policy,
  place: string,
): readonly SetupCheck[] {
  if (wallet === null || profile === 'data' || allowlist.mode !== 'strict') return []
  const id = 'allowlist'
  const listed = ({ id: chainId, tokens }: Chain) => tokens.length + (allowlist.tokens[chainId] ?? []).length
  const empty = chains.list().filter((chain) => rpc.urls.has(chain.id) && listed(chain) === 0)
  if (empty.length === 0) return [passed(id, 'There are listed tokens on each chain with an endpoint of its own.')]
  const names = empty.map(({ name }) => name)
  const fix = `Run: svc policy add-token ${names[0]} TOKEN --data-dir ${place}`
  return [failed(id, `No token is listed on ${names.join(', ')}, so nothing can be traded there.`, fix)]
}
