import { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Address } from 'viem'
import { apiKeyFrom, apiKeySetting, envFilePath, keyTiers, mergeEnvFile, readEnvFile } from '@svc/tool-server'
import { directoryRefusal } from '../own-data-directory.ts'
import { readWorldKey } from '../world-directory.ts'

/**
 * Sets a data directory up for trying the server: a local key, the three API keys and the profile `data` in its environment file. What stands
 * there stays; nothing is asked of anybody. Throws for a directory that is a local world's or that has production set.
 */
export async function setUpZero(dataDir: string, randomBytes: (size: number) => Uint8Array): Promise<ZeroSetup> {
  if ((await readWorldKey(dataDir)) !== null)
    throw new Error(`${dataDir} is that of a local world (svc up). Name another one with --data-dir.`)
  const file = envFilePath(dataDir)
  const written = readEnvFile(file)
  if (written['NODE_ENV'] === 'production')
    throw new Error(`${file} has NODE_ENV=production, which takes no local key. For production: svc setup production`)
  const hasWallet = ['WALLET_TYPE', 'WALLET_ID', 'PRIVATE_KEY'].some((name) => written[name] !== undefined)
  const wallet = hasWallet
    ? {}
    : { WALLET_TYPE: 'local', PRIVATE_KEY: `0x${Buffer.from(randomBytes(32)).toString('hex')}` }
  const keys = keyTiers.map((tier) => [apiKeySetting(tier), apiKeyFrom(tier, randomBytes(32))] as const)
  const wanted = { SVC_MCP_PROFILE: 'data', ...wallet, ...Object.fromEntries(keys) }
  const values = { ...wanted, ...Object.fromEntries(Object.entries(written).filter(([name]) => name in wanted)) }
  const { changed, backup } = await merge(dataDir, file, values)
  const settings = { ...written, ...values }
  const key = settings['PRIVATE_KEY']
  const address = key === undefined ? null : new ServiceWallet({ mode: 'local', privateKey: key }).address
  return { file, changed, backup, address, profile: settings['SVC_MCP_PROFILE'] ?? 'data' }
}

export type ZeroSetup = {
  /** The environment file. */
  readonly file: string
  /** The settings that were written; empty where all of them stood there. */
  readonly changed: readonly string[]
  readonly backup: string | null
  /** Of the local key; `null` where the file names a managed wallet. */
  readonly address: Address | null
  readonly profile: string
}

async function merge(dataDir: string, file: string, values: Readonly<Record<string, string>>) {
  try {
    return mergeEnvFile(file, values)
  } catch (error) {
    throw (await directoryRefusal(error, dataDir, 'Name one that can be with --data-dir.')) ?? error
  }
}
