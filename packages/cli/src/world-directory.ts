import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { isHex, type Address, type Hex } from 'viem'
import { UsageError } from './usage-error.ts'

/**
 * The directory a local world keeps its state in, and the wallet key that belongs to it. Without `path` it is temporary
 * and `dispose` removes it. A named one keeps keys from run to run, while the state of the last run's chain, which is
 * gone, is cleared. Throws `UsageError` when the directory holds the state of a server that is not a local world's.
 */
export async function openWorldDirectory(path: string | undefined): Promise<WorldDirectory> {
  if (path === undefined) {
    const temporary = await mkdtemp(join(tmpdir(), 'svc-up-'))
    return { ...newWallet(temporary), dispose: () => rm(temporary, { recursive: true, force: true }) }
  }
  const directory = resolve(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const marker = join(directory, markerName)
  const known = await readMarker(marker)
  if (known === null && (await exists(join(directory, 'state.db')))) {
    throw new UsageError(`${directory} holds the state of a server, not of a local world. Name another --data-dir.`)
  }
  await chmod(directory, 0o700)
  for (const name of chainBoundFiles) await rm(join(directory, name), { force: true })
  const wallet = newWallet(directory, known ?? undefined)
  await writeFile(marker, JSON.stringify({ privateKey: wallet.privateKey }), { mode: 0o600 })
  return { ...wallet, dispose: async () => {} }
}

export type WorldDirectory = {
  readonly path: string
  readonly privateKey: Hex
  readonly walletAddress: Address
  dispose(): Promise<void>
}

const markerName = 'local-world.json'

/** Files that speak of transactions on a chain which ended with the last run. */
const chainBoundFiles = ['state.db', 'state.db-wal', 'state.db-shm', 'audit.jsonl', 'policy.json', 'chains.json']

function newWallet(path: string, privateKey: Hex = `0x${randomBytes(32).toString('hex')}`) {
  return { path, privateKey, walletAddress: new ServiceWallet({ mode: 'local', privateKey }).address }
}

async function readMarker(marker: string): Promise<Hex | null> {
  const text = await readFile(marker, 'utf8').catch(() => null)
  if (text === null) return null
  const content: unknown = JSON.parse(text)
  if (typeof content === 'object' && content !== null && 'privateKey' in content && isHex(content.privateKey)) {
    return content.privateKey
  }
  throw new UsageError(`${marker} is damaged. Remove it, or name another --data-dir.`)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
