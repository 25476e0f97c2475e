import { type Chain, chains as publicChains } from '@svc/wallet/core'
import { type Config, rpcUrls } from './config/config-shape.ts'
import type { ChainAccess } from '@svc/engine'
import { resolve } from 'node:path'
import { assembleConfig, withoutBlanks } from './config/assemble-config.ts'
import { mergeChainsFile } from './config/chains-file.ts'
import { envFilePath, readEnvFile } from './config/env-file.ts'

/**
 * Reads the settings out of an environment laid over the data directory's environment file. Throws a `ConfigError` with
 * every problem at once; no problem quotes a value.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = withoutBlanks(environment)
  const dataDir = resolve(given['SVC_DATA_DIR'] ?? '.svc')
  const written = readEnvFile(envFilePath(dataDir))
  const chainsFile = given['SVC_CHAINS_FILE'] ?? written['SVC_CHAINS_FILE']
  const table = chainsFile === undefined ? { chains: publicChains } : mergeChainsFile(chainsFile, publicChains)
  return assembleConfig({ given, written, table, dataDir })
}

/** What `openReads` needs of the configuration. */
export function chainAccess({ chains, rpc }: Pick<Config, 'chains' | 'rpc'>): ChainAccess {
  const privateRpcUrls = (chain: Chain) => [rpc.privateUrls.get(chain.id)?.reveal()].filter((url) => url !== undefined)
  return { chains, rpcUrls: (chain) => rpcUrls(rpc, chain), privateRpcUrls }
}

/** How the trading API is reached; `null` without a key. */
export function tradingApi({
  upstream: { tradingApiKey, tradingApiUrl, tradingApiDialect },
}: Pick<Config, 'upstream'>) {
  if (tradingApiKey === null) return null
  const url = tradingApiUrl ?? tradingApiUrls[tradingApiDialect]
  return { apiKey: tradingApiKey, url: url.replace(/\/+$/, ''), dialect: tradingApiDialect }
}

/** How the service that takes orders is reached: as the trading API, or by itself; `null` without a key. */
export function orderApi({ upstream }: Pick<Config, 'upstream'>) {
  const { orderApiKey, orderApiUrl, tradingApiKey, tradingApiUrl, tradingApiDialect } = upstream
  const isOwn = orderApiKey !== null || orderApiUrl !== null
  if (!isOwn && tradingApiDialect === 'v1') return 'trading-api'
  const apiKey = orderApiKey ?? tradingApiKey
  // The newer dialect has no words for orders, and its place may be one of the operator's own.
  if (apiKey === null || (!isOwn && tradingApiUrl !== null)) return null
  return { apiKey, url: (orderApiUrl ?? tradingApiUrls.v1).replace(/\/+$/, ''), dialect: 'v1' } as const
}

const tradingApiUrls = {
  v1: 'https://trade-api.gateway.uniswap.org/v1',
  lp: 'https://liquidity.api.uniswap.org',
} as const
