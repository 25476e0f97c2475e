import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { BlockTime, Liquidity, PriceMemory, PriceSource, RpcPool, Token, TokenDirectory } from '../ports.ts'
import { isBare } from '../tokens/read-token.ts'
import { type ChainPrices, type ChainPricesContext, createChainPrices } from './create-chain-prices.ts'
import { discoverablePools } from './discover-price.ts'
import { type ConfirmedSources, createNamedTokens, type PoolPlace } from './named-tokens.ts'

export type { PriceRange } from './band/price-range.ts'
export { createPriceMemory, type SightingStore } from './create-price-memory.ts'
export { type ConfirmedSources, createNamedTokens, type NamedTokens } from './named-tokens.ts'
export { type JudgedPool, proposeSources } from './proposals/propose-sources.ts'

/**
 * Prices in US dollars. Limits and values count with the band over the sources that the row of the chain or the policy names
 * for a token (`priceBand`). A token without named sources has no band; any pools it has price it for reports alone. Once the
 * head is known, prices take one request, however many tokens are asked for at once. Answers are kept for their block.
 */
export function createPriceSource(options: PriceSourceOptions): PriceSource {
  const { rpc, tokens, liquidity } = options
  const context: ChainPricesContext = {
    rpc,
    memory: options.memory ?? null,
    namedTokens: createNamedTokens(options.confirmed ?? (() => undefined)),
    discoverable: keepPlaces(),
    pushBudgetUsd: options.pushBudgetUsd ?? (() => defaultPushBudgetUsd),
    leastLiquidityUsd: options.leastLiquidityUsd ?? defaultLeastLiquidityUsd,
    pickInt: options.pickInt,
  }
  const kept = new Map<number, { readonly number: bigint; readonly prices: ChainPrices }>()

  function pricesAt(chain: Chain, head: BlockTime) {
    const latest = kept.get(chain.id)
    if (latest?.number === head.number) return latest.prices
    if (latest !== undefined && head.number + pastBlocks < latest.number) return pricesOfPast(chain, head)
    const prices = createChainPrices(chain, head, context)
    kept.set(chain.id, { number: head.number, prices })
    return prices
  }

  /** State of old blocks is asked of an endpoint that may have it, and what is long past is nothing to remember. */
  function pricesOfPast(chain: Chain, head: BlockTime) {
    const client = (of: Chain) => rpc.past(of)
    return createChainPrices(chain, head, { ...context, memory: null, rpc: { client, past: client } })
  }

  const priced = (chain: Chain, token: Token) => (token.isNative ? tokens.wrapped(chain) : token)

  return {
    async usd(chain, token, at) {
      if (isBare(token)) return null
      const head = at ?? (await rpc.head(chain))
      return pricesAt(chain, head).usd(priced(chain, token))
    },
    async doubt(chain, token, at) {
      if (isBare(token)) return 'silent'
      const head = at ?? (await rpc.head(chain))
      return pricesAt(chain, head).doubt(priced(chain, token))
    },
    async ratio(chain, base, quote) {
      const [pool] = await liquidity.findPools(chain, base, quote)
      if (pool === undefined) return null
      const price = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
      const baseIs0 = [base.address, base.isNative ? tokens.wrapped(chain).address : null].includes(pool.token0.address)
      return { price: baseIs0 ? price : 1 / price, pool }
    },
  }
}

export type PriceSourceOptions = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'past'>
  readonly tokens: Pick<TokenDirectory, 'wrapped'>
  readonly liquidity: Pick<Liquidity, 'findPools'>
  /** What the server has seen before; nothing when absent. */
  readonly memory?: PriceMemory | null
  /** Sources that a person confirmed, in place of those of the chain's row; none when absent. */
  readonly confirmed?: ConfirmedSources
  /** US dollars that whoever pushes a pool for one block is presumed to spend on fees; 200 when absent, the default of `coldStartUsd`. */
  readonly pushBudgetUsd?: () => number
  /** Least depth of a pool that nobody named for its price to be reported; 25,000 US dollars when absent. */
  readonly leastLiquidityUsd?: number
  /** A random whole number below another: it decides which older blocks and seconds are read, which nobody may know beforehand. */
  readonly pickInt: (below: number) => number
}

/** Endpoints may be some blocks apart, and a reorg may take some back; what lies further behind the newest is the past. */
const pastBlocks = 64n
/** US dollars: the most that a false price can gain at a cold start under a policy that leaves `coldStartUsd` and the daily limit as they are. */
const defaultPushBudgetUsd = 200
/** A pool that little money could move prices nothing. */
const defaultLeastLiquidityUsd = 25_000

/** Where pools of two tokens would stand is worked out once, which takes a millisecond of hashing. */
function keepPlaces(): ChainPricesContext['discoverable'] {
  const kept = new Map<string, readonly PoolPlace[]>()
  return (chain, token, quote) => {
    const key = `${chain.id} ${[token, quote].map(({ address, decimals }) => `${address}:${decimals}`).join(' ')}`
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= mostPlaces) kept.clear()
    const made = discoverablePools(chain, token, quote)
    kept.set(key, made)
    return made
  }
}

/** Pairs of tokens. */
const mostPlaces = 2_000
