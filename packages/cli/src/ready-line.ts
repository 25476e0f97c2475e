import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Devnet } from '@svc/devnet'
import type { ApiKeys } from '@svc/tool-server'
import type { Address } from 'viem'
import type { ReadyWaysIn, OtherChain, LocalSupportApi } from './world-services.ts'
import { readyDraft, readyFile } from './world-directory.ts'

/** The one line that `svc up --json` prints, and that stands in the data directory while the world runs. */
export type ReadyLine = ReadyWaysIn & {
  readonly ready: true
  readonly mcp: { readonly url: string; readonly keys: Readonly<Record<keyof ApiKeys, string>> }
  readonly rpc: { readonly url: string; readonly chainId: number }
  readonly wallet: { readonly address: Address }
  /** The support API: its page, and the app that the stand-in for the wallet provider knows. */
  readonly api: { readonly url: string; readonly appId: string }
  /** The stand-in for the trading API, where there is one. */
  readonly tradingApi?: { readonly url: string }
  /** Who offers orders and fills them, a stand-in, by the reactor that settles them. */
  readonly orders: { readonly url: string; readonly reactor: Address }
  /** The other chain, by the name that tools know it by, and the settler of cross-chain orders that stands on both. */
  readonly crossChain: {
    readonly url: string
    readonly chainId: number
    readonly chain: string
    readonly settler: Address
  }
  /** Where agents are registered (ERC-8004). */
  readonly registry: { readonly address: Address }
  /** The service that gives proofs of rewards, and the distributor that pays them. */
  readonly rewards: { readonly url: string; readonly distributor: Address }
  readonly tokens: readonly Pick<Devnet['tokens'][number], 'symbol' | 'address' | 'decimals'>[]
  readonly pools: Devnet['pools']
  /** The hook for orders that are sold over time, and its pool. */
  readonly twamm: Devnet['twamm']
  /** ERC-4626 vaults with deposits in them; the first lends most of what it holds to the last. */
  readonly vaults: Devnet['vaults']
}

/** The line of a world whose parts run. */
export function readyLine(parts: Parts): ReadyLine {
  const { devnet, other, url, keys, api, trading, orders, rewards, wallet, waysIn } = parts
  const { orderReactor, crossChainSettler } = devnet.chain
  if (orderReactor === undefined || crossChainSettler === undefined) {
    throw new TypeError('the local chain has a reactor and a settler')
  }
  return {
    ready: true,
    mcp: {
      url,
      keys: { read: keys.read.reveal(), feedback: keys.feedback.reveal(), write: keys.write.reveal() },
    },
    rpc: { url: devnet.rpcUrl, chainId: devnet.chainId },
    wallet: { address: wallet },
    api: { url: api.url, appId: api.appId },
    ...waysIn,
    ...(trading === null ? {} : { tradingApi: { url: trading.url } }),
    orders: { url: orders.ordersUrl, reactor: orderReactor },
    crossChain: {
      url: other.devnet.rpcUrl,
      chainId: other.chain.id,
      chain: other.chain.name,
      settler: crossChainSettler,
    },
    registry: { address: devnet.registry.identity },
    rewards: { url: rewards.url, distributor: devnet.rewards.distributor },
    tokens: devnet.tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals })),
    pools: devnet.pools,
    twamm: devnet.twamm,
    vaults: devnet.vaults,
  }
}

type Parts = {
  readonly devnet: Devnet
  readonly other: OtherChain
  readonly url: string
  readonly keys: ApiKeys
  readonly api: LocalSupportApi
  readonly trading: { readonly url: string } | null
  readonly orders: { readonly ordersUrl: string }
  readonly rewards: { readonly url: string }
  readonly wallet: Address
  readonly waysIn: ReadyWaysIn
}

/** By rename: who waits for the file finds all of it. Returns what takes it away again. */
export async function announce(directory: string, ready: ReadyLine): Promise<() => Promise<void>> {
  const [draft, path] = [join(directory, readyDraft), join(directory, readyFile)]
  await writeFile(draft, `${JSON.stringify(ready)}\n`, { mode: 0o600 })
  await rename(draft, path)
  return () => rm(path, { force: true })
}
