import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain, ChainToken } from '@svc/wallet/core'
import type { Liquidity, PriceSource, RpcPool, Token, TokenDirectory, UsdPrice } from '../../ports.ts'
import { joinQueries } from '../rpc/query.ts'
import { readQuery } from '../rpc/read-query.ts'
import { choosePrice, type ChosenPrice, type PriceGroup } from './choose-price.ts'
import { combinePrices, type CombinedPrice, type PriceEvidence } from './combine-prices.ts'
import { pointsQuery } from './points-query.ts'
import type { PricePoint } from './price-point.ts'
import { type PriceHead, readV2Mean, type V2Mean } from './read-v2-mean.ts'
import { usdFeedQuery } from './usd-feed-query.ts'

/**
 * Prices from the chain's own pools. A listed dollar token is worth a dollar; anything else the mean of half an hour in the
 * deepest v3 pool against a dollar token or against the wrapped native token, whose own price is found the same way. A token
 * whose pools are all thin has no price. What limits count with is combined from all sources (`combinePrices`). Answers
 * are kept for the block they were read at.
 */
export function createPriceSource(options: PriceSourceOptions): PriceSource {
  const { rpc, tokens, liquidity } = options
  const kept = new Map<number, KeptPrices>()
  const points = keepQueries()

  function keptAt(chain: Chain, blockNumber: bigint): KeptPrices['prices'] {
    const latest = kept.get(chain.id)
    if (latest?.blockNumber === blockNumber) return latest.prices
    const prices: KeptPrices['prices'] = new Map()
    kept.set(chain.id, { blockNumber, prices })
    return prices
  }

  function priceAt(chain: Chain, token: Token, head: PriceHead): Promise<UsdPrice | null> {
    const prices = keptAt(chain, head.number)
    const known = prices.get(token.address)
    if (known !== undefined) return known
    const price = token.usdPegged
      ? readPeg(options, chain, token, head)
      : readPrice({ ...options, points }, chain, token, head)
    prices.set(token.address, price)
    price.catch(() => prices.delete(token.address))
    return price
  }

  return {
    async usd(chain, token) {
      return priceAt(chain, token.isNative ? tokens.wrapped(chain) : token, await rpc.head(chain))
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

type KeptPrices = { readonly blockNumber: bigint; readonly prices: Map<string, Promise<UsdPrice | null>> }

/** So that a pool can price nothing that a modest purse could move. */
const defaultLeastLiquidityUsd = 25_000
/** Listed dollar tokens whose pools are looked at. */
const mostDollarTokens = 3

const dollar: ChosenPrice = { usd: 1, method: 'peg', pools: [], liquidityUsd: 0, confidence: 'HIGH' }

async function readPeg({ rpc }: PriceSourceOptions, chain: Chain, token: Token, head: PriceHead): Promise<UsdPrice> {
  const feed = usdFeedQuery(rowOf(chain, token), head.timestamp)
  const feedE18 = await readQuery(rpc.client(chain), chain, feed, head.number)
  return { ...dollar, ...combinePrices({ groups: [], feedE18, isPeg: true }, 0), ...readAtOf(head) }
}

type ReadPriceOptions = PriceSourceOptions & { readonly points: typeof pointsQuery }

/** Asks the same of the same pools in every block: where they are is worked out once, which takes a millisecond of hashing. */
function keepQueries(): typeof pointsQuery {
  const kept = new Map<string, ReturnType<typeof pointsQuery>>()
  return (chain, token, quotes) => {
    const key = `${chain.id} ${[token, ...quotes].map(({ address, decimals }) => `${address}:${decimals}`).join(' ')}`
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= mostQueries) kept.clear()
    const made = pointsQuery(chain, token, quotes)
    kept.set(key, made)
    return made
  }
}

const mostQueries = 500

async function readPrice(
  { rpc, tokens, points: pointsOf, leastLiquidityUsd = defaultLeastLiquidityUsd }: ReadPriceOptions,
  chain: Chain,
  token: Token,
  head: PriceHead,
): Promise<UsdPrice | null> {
  const native = tokens.wrapped(chain)
  const pegged = chain.tokens.filter(({ usdPegged }) => usdPegged).slice(0, mostDollarTokens)
  const dollars = await Promise.all(pegged.map(({ address }) => tokens.byAddress(chain, address)))
  const queries = joinQueries([
    pointsOf(chain, token, dollars),
    pointsOf(chain, token, [native]),
    pointsOf(chain, native, dollars),
    usdFeedQuery(rowOf(chain, token), head.timestamp),
    usdFeedQuery(chain.wrappedNative, head.timestamp),
  ] as const)
  const client = rpc.client(chain)
  const [points, nativePoints, pointsOfNative, feedE18, nativeFeedE18] = await readQuery(
    client,
    chain,
    queries,
    head.number,
  )
  const remembering = (list: readonly PricePoint[], quoteUsd: number) =>
    rememberV2(list, leastLiquidityUsd / quoteUsd, (point) => readV2Mean(client, chain, point, head))
  const [byDollars, ofNative] = await Promise.all([remembering(points, 1), remembering(pointsOfNative, 1)])
  const inDollars = (list: readonly PricePoint[]) => ({ points: list, quote: { usd: 1, usdE18: 10n ** 18n } })
  const combine = (evidence: Omit<PriceEvidence, 'isPeg'>): CombinedPrice =>
    combinePrices({ ...evidence, isPeg: false }, leastLiquidityUsd)
  const nativePrice = choosePrice([{ points: ofNative, quote: dollar }], leastLiquidityUsd)
  const nativeExact = combine({ groups: [inDollars(ofNative)], feedE18: nativeFeedE18 }).exact
  const byNative = nativePrice === null ? [] : await remembering(nativePoints, nativePrice.usd)
  const groups: PriceGroup[] = [{ points: byDollars, quote: dollar }]
  if (nativePrice !== null) groups.push({ points: byNative, quote: nativePrice })
  const chosen = choosePrice(groups, leastLiquidityUsd)
  if (chosen === null) return null
  const nativeQuote = { usd: nativePrice?.usd ?? 0, usdE18: nativeExact?.usdE18 ?? null }
  const combined = combine({ groups: [inDollars(byDollars), { points: byNative, quote: nativeQuote }], feedE18 })
  return { ...chosen, ...combined, ...readAtOf(head) }
}

/** Gives the v2 pairs that are deep enough their means; each is then no deeper than it was where its mean begins. */
function rememberV2(
  points: readonly PricePoint[],
  floor: number,
  meanOf: (point: PricePoint) => Promise<V2Mean | null>,
): Promise<readonly PricePoint[]> {
  return Promise.all(
    points.map(async (point) => {
      if (point.version !== 'v2' || point.depth < floor) return point
      const found = await meanOf(point)
      if (found === null) return point
      const { meanE18, depthBefore } = found
      return { ...point, meanE18, mean: Number(meanE18) / 1e18, depth: Math.min(point.depth, depthBefore) }
    }),
  )
}

/** The token's row in the chain's list; a token of no list has no feed. */
function rowOf(chain: Chain, { address }: Token): Pick<ChainToken, 'usdFeed'> {
  return [chain.wrappedNative, ...chain.tokens].find((row) => row.address === address) ?? {}
}

function readAtOf({ number, timestamp }: PriceHead): Pick<UsdPrice, 'blockNumber' | 'readAt'> {
  return { blockNumber: number, readAt: Number(timestamp) }
}
