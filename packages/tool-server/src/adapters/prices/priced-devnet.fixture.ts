import type { Devnet } from '@svc/devnet'
import type { Chain, ChainToken, PriceSources, ReferencePool } from '@svc/wallet/core'
import { type Address, zeroAddress } from 'viem'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { createPriceSource, type PriceSourceOptions } from './create-price-source.ts'

/**
 * Prices of the local chain with named sources: by symbol the labels of its pools, such as `v3 WETH/USDC 0.05 %`, and a
 * feed. Blocks are taken to come every `blockTimeSeconds`, so that a test decides which are read. `tap` sees every request.
 */
export function createPricedDevnet(devnet: Devnet, options: PricedOptions = {}) {
  const { tap = null, named = {}, blockTimeSeconds = 60, ...rest } = options
  const bench = createReadsBench(devnet, tap)
  const sourcesOf = (symbol: string): { priceSources?: PriceSources } => {
    const sources = named[symbol]
    if (sources === undefined) return {}
    const { pools = [], ...feed } = sources
    return { priceSources: { ...feed, pools: pools.map((label) => poolRow(devnet, symbol, label)) } }
  }
  const row = (token: ChainToken): ChainToken => ({ ...token, ...sourcesOf(token.symbol) })
  const chain: Chain = {
    ...devnet.chain,
    ...options.chain,
    blockTimeSeconds,
    wrappedNative: row(devnet.chain.wrappedNative),
    tokens: devnet.chain.tokens.map(row),
  }
  const prices = createPriceSource({ rpc: bench.rpc, tokens: bench.tokens, liquidity: bench.reads, ...rest })
  return {
    ...bench,
    chain,
    prices,
    usd: async (symbol: string) => prices.usd(chain, await bench.token(symbol)),
    /** The band of a token that must have one. */
    band: async (symbol: string) => {
      const price = await prices.usd(chain, await bench.token(symbol))
      if (price === null || price.band === null) throw new Error(`${symbol} has no band: ${price?.doubt}`)
      return price.band
    },
    pool: (label: string) => poolOf(devnet, label),
  }
}

export type PricedOptions = Partial<Pick<PriceSourceOptions, 'memory' | 'confirmed' | 'pushBudgetUsd' | 'pickInt'>> & {
  readonly tap?: Parameters<typeof createReadsBench>[1]
  readonly named?: Readonly<
    Record<string, { readonly feed?: PriceSources['feed']; readonly pools?: readonly string[] }>
  >
  readonly blockTimeSeconds?: number
  readonly chain?: Partial<Chain>
}

function poolOf(devnet: Devnet, label: string) {
  const pool = devnet.pools.find((one) => `${one.version} ${one.label}` === label)
  if (pool === undefined) throw new Error(`The local chain has no pool ${label}`)
  return pool
}

/** The row of a pool for one of its tokens. */
export function poolRow(devnet: Devnet, symbol: string, label: string): ReferencePool {
  const { version, id, token0, token1, fee, tickSpacing } = poolOf(devnet, label)
  const address = devnet.tokens.find((token) => token.symbol === symbol)?.address
  const isNative = symbol === 'WETH' && [token0, token1].includes(zeroAddress)
  const own: Address | undefined = isNative ? zeroAddress : address
  const row = { version, id, quote: token0 === own ? token1 : token0, fee }
  return { ...row, ...(version === 'v4' && { tickSpacing: tickSpacing ?? 0, ...(isNative && { native: true }) }) }
}
