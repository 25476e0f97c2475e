import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig, type Config } from '@svc/tool-server'
import { readOperatorConfig } from '@svc/tool-server/operator-config'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Address } from 'viem'
import { requireDirectory } from './own-data-directory.ts'
import { UsageError } from './usage-error.ts'
import { findWorldChains, readWorldKey, worldMarker } from './world-directory.ts'

/**
 * The settings of the server that a command is about: the environment over the data directory's environment file. In the
 * directory of a local world (`svc up --data-dir`) its chains hold unless SVC_CHAINS_FILE names others, and its wallet
 * unless the settings name one. Throws for a directory that a flag names and that does not exist, and
 * `ConfigError` for settings the server would not start with either.
 */
export async function readServerSettings(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ServerSettings> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const given = dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir }
  const { dataDir: directory, chainsFile } = readOperatorConfig(given)
  if (dataDir !== undefined) await requireDirectory(directory)
  const key = await readWorldKey(directory)
  const worldChains = chainsFile === null ? await findWorldChains(directory) : null
  const config = readConfig(worldChains === null ? given : { ...given, SVC_CHAINS_FILE: worldChains })
  return {
    config,
    worldChains: worldChains === null ? null : { path: worldChains, ids: await idsIn(worldChains) },
    wallet: walletOf(config, key, directory),
  }
}

export type ServerSettings = {
  readonly config: Config
  /** The chains taken from a local world's directory; `null` when they are not. */
  readonly worldChains: { readonly path: string; readonly ids: ReadonlySet<number> } | null
  /** `null` when neither the settings nor a local world name one whose address is known here. */
  readonly wallet: {
    readonly address: Address
    /** The file it was taken from, if not the settings. */ readonly from: string | null
  } | null
}

/** How a chain that is missing can be named. */
export const chainFix =
  'Name its chains file with SVC_CHAINS_FILE, or with --data-dir the directory of the local world it belongs to, ' +
  'which svc up shows as "data".'

function walletOf({ wallet }: Config, worldKey: `0x${string}` | null, directory: string): ServerSettings['wallet'] {
  if (wallet?.type === 'local') {
    return { address: new ServiceWallet({ mode: 'local', privateKey: wallet.privateKey }).address, from: null }
  }
  if (wallet !== null || worldKey === null) return null
  const { address } = new ServiceWallet({ mode: 'local', privateKey: worldKey })
  return { address, from: join(directory, worldMarker) }
}

/** Read after the file was found to be in order. */
async function idsIn(path: string): Promise<ReadonlySet<number>> {
  const rows = JSON.parse(await readFile(path, 'utf8')) as readonly { readonly id: number }[]
  return new Set(rows.map(({ id }) => id))
}

/** Says on stderr, in one line, what a command took from a local world's directory because nobody named it. */
export function sayTaken({ worldChains, wallet }: Pick<ServerSettings, 'worldChains' | 'wallet'>): void {
  const taken = [
    ...(worldChains === null ? [] : [`chains from ${worldChains.path}`]),
    ...(wallet === null || wallet.from === null ? [] : [`wallet ${wallet.address} from ${wallet.from}`]),
  ]
  if (taken.length > 0) process.stderr.write(`Local world: ${taken.join(', ')}.\n`)
}
