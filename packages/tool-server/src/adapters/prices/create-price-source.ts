import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import type { Liquidity, PriceSource, RpcPool, Token, TokenDirectory, UsdPrice } from '../../ports.ts'
import { joinQueries } from '../rpc/query.ts'
import { readQuery } from '../rpc/read-query.ts'
import { choosePrice, type ChosenPrice, type PriceGroup } from './choose-price.ts'
import { pointsQuery } from './points-query.ts'

/**
 * Prices from the chain's own pools. A listed dollar token is worth a dollar; anything else the mean of half an hour in the
 * deepest v3 pool against a dollar token or against the wrapped native token, whose own price is found the same way. A token
 * whose pools are all thin has no price. Answers are kept for the block they were read at.
 */
export function createPriceSource(options: PriceSourceOptions): PriceSource {
  const { rpc, tokens, liquidity } = options
  const kept = new Map<number, KeptPrices>()

  function keptAt(chain: Chain, blockNumber: bigint): KeptPrices['prices'] {
    const latest = kept.get(chain.id)
    if (latest?.blockNumber === blockNumber) return latest.prices
    const prices = new Map<string, Promise<ChosenPrice | null>>()
    kept.set(chain.id, { blockNumber, prices })
    return prices
  }

  function priceAt(chain: Chain, token: Token, blockNumber: bigint): Promise<ChosenPrice | null> {
    const prices = keptAt(chain, blockNumber)
    const known = prices.get(token.address)
    if (known !== undefined) return known
    const price = readPrice(options, chain, token, blockNumber)
    prices.set(token.address, price)
    price.catch(() => prices.delete(token.address))
    return price
  }

  return {
    async usd(chain, token) {
      const { number: blockNumber } = await rpc.head(chain)
      if (token.usdPegged) return withMicros(dollar, blockNumber)
      const price = await priceAt(chain, token.isNative ? tokens.wrapped(chain) : token, blockNumber)
      return price === null ? null : withMicros(price, blockNumber)
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
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  readonly tokens: Pick<TokenDirectory, 'byAddress' | 'wrapped'>
  readonly liquidity: Pick<Liquidity, 'findPools'>
  /** Least worth of what a pool holds of the other token for its price to count; 25,000 US dollars when absent. */
  readonly leastLiquidityUsd?: number
}

type KeptPrices = { readonly blockNumber: bigint; readonly prices: Map<string, Promise<ChosenPrice | null>> }

/** So that a pool can price nothing that a modest purse could move. */
const defaultLeastLiquidityUsd = 25_000
/** Listed dollar tokens whose pools are looked at. */
const mostDollarTokens = 3

const dollar: ChosenPrice = { usd: 1, method: 'peg', pools: [], liquidityUsd: 0, confidence: 'HIGH' }

async function readPrice(
  { rpc, tokens, leastLiquidityUsd = defaultLeastLiquidityUsd }: PriceSourceOptions,
  chain: Chain,
  token: Token,
  blockNumber: bigint,
): Promise<ChosenPrice | null> {
  const native = tokens.wrapped(chain)
  const pegged = chain.tokens.filter(({ usdPegged }) => usdPegged).slice(0, mostDollarTokens)
  const dollars = await Promise.all(pegged.map(({ address }) => tokens.byAddress(chain, address)))
  const queries = joinQueries([
    pointsQuery(chain, token, dollars),
    pointsQuery(chain, token, [native]),
    pointsQuery(chain, native, dollars),
  ] as const)
  const [points, nativePoints, pointsOfNative] = await readQuery(rpc.client(chain), chain, queries, blockNumber)
  const groups: PriceGroup[] = [{ points, quote: dollar }]
  const nativePrice = choosePrice([{ points: pointsOfNative, quote: dollar }], leastLiquidityUsd)
  if (nativePrice !== null) groups.push({ points: nativePoints, quote: nativePrice })
  return choosePrice(groups, leastLiquidityUsd)
}

/** Rounded down, so that a caller who must not undervalue rounds amounts up by `usd` instead. */
function withMicros(price: ChosenPrice, blockNumber: bigint): UsdPrice {
  return { ...price, usdMicros: BigInt(Math.floor(price.usd * 1e6)), blockNumber }
}
