import { formatAmount, type Bars } from '@svc/lp-math'
import {
  type Quote,
  type Token,
  type UsdPrice,
  type Pool,
  type PoolBars,
  ToolError,
  mayPass,
  type PriceSource,
} from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import type { Ports } from '../ports.ts'

/**
 * Worth of an amount (smallest units) in US dollars, rounded to millionths; null without a price. For reports: the safety
 * engine counts in integers of its own.
 */
export function valueUsd(amount: bigint, token: Token, price: UsdPrice | null): number | null {
  if (price === null) return null
  return Math.round(Number(formatAmount(amount, token.decimals)) * price.usd * 1e6) / 1e6
}

/** Sum of dollar values, rounded to millionths; null as soon as one of them is unknown. */
export function sumUsd(...values: readonly (number | null)[]): number | null {
  let sum = 0
  for (const value of values) {
    if (value === null) return null
    sum += value
  }
  return Math.round(sum * 1e6) / 1e6
}

/**
 * How much worse than the trusted price a quote is, in hundredths of a percent, the fees of its pools left out; positive is
 * worse. `null` where a token has no named source that says anything: the mid price of the route is all there is then.
 */
export function trustedImpactBps(
  { amountIn, amountOut, route, parts }: Pick<Quote, 'amountIn' | 'amountOut' | 'route' | 'parts'>,
  [tokenIn, priceIn]: PricedSide,
  [tokenOut, priceOut]: PricedSide,
): number | null {
  const [bandIn, bandOut] = [priceIn?.band ?? null, priceOut?.band ?? null]
  if (bandIn === null || bandOut === null) return null
  const paid = amountIn * bandIn.midE18 * 10n ** BigInt(tokenOut.decimals)
  const bought = amountOut * bandOut.midE18 * 10n ** BigInt(tokenIn.decimals)
  if (paid === 0n) return null
  const shares = parts ?? [{ amountIn, route }]
  const feeBps = shares.reduce(
    (sum, part) => sum + feeBpsOf(part.route) * (Number(part.amountIn) / Number(amountIn)),
    0,
  )
  return Math.round(Number(((paid - bought) * 10_000n) / paid) - feeBps)
}

/** What the pools of a route take one after the other, in hundredths of a percent. */
export function feeBpsOf(route: Quote['route']): number {
  return route.reduce((sum, { pool }) => sum + pool.fee / 100, 0)
}

type PricedSide = readonly [Token, UsdPrice | null]

/**
 * US dollars for one whole token of the quote at the close of each bar, and what they rest on, in our own words. A token that is pegged
 * to the dollar counts at its price of now throughout. Without one in the pair, the price of a token at each bar is that of the pool
 * between it and a pegged token; where no past of such a pool is known, today's price stands for all of it, and `isToday` says so.
 * @param price of the base token in the quote, at the close of each bar
 * @throws ToolError `PRICE_UNAVAILABLE` where neither token has a trustworthy price
 */
export async function readQuoteUsd(
  ports: Pick<Ports, 'prices' | 'tokens' | 'history'>,
  chain: Chain,
  { base, quote, bars, price }: QuoteUsdRequest,
): Promise<QuoteUsd> {
  const [baseUsd, quoteUsd] = await Promise.all([ports.prices.usd(chain, base), ports.prices.usd(chain, quote)])
  if (quote.usdPegged && quoteUsd !== null) {
    return { usd: quoteUsd.usd, basis: 'token1 at its dollar peg', isToday: false }
  }
  if (base.usdPegged && baseUsd !== null) {
    return { usd: price.map((at) => baseUsd.usd / at), basis: 'token0 at its dollar peg', isToday: false }
  }
  const ofQuote = quoteUsd === null ? null : await pastUsd(ports, chain, quote, bars)
  if (ofQuote !== null) return { usd: ofQuote, basis: 'the past of token1 in dollars', isToday: false }
  const ofBase = baseUsd === null ? null : await pastUsd(ports, chain, base, bars)
  if (ofBase !== null) {
    return {
      usd: ofBase.map((at, bar) => at / (price[bar] ?? 1)),
      basis: 'the past of token0 in dollars',
      isToday: false,
    }
  }
  if (quoteUsd !== null) return { usd: quoteUsd.usd, basis: "today's price of token1", isToday: true }
  if (baseUsd !== null) {
    return { usd: price.map((at) => baseUsd.usd / at), basis: "today's price of token0", isToday: true }
  }
  throw await noPrice(ports.prices, chain, { token0: base, token1: quote })
}

export type QuoteUsdRequest = {
  readonly base: Token
  readonly quote: Token
  readonly bars: Bars
  readonly price: Float64Array
}

export type QuoteUsd = {
  readonly usd: number | Float64Array
  readonly basis: string
  readonly isToday: boolean
}

/** Dollars for a token at the close of each bar, out of the deepest pool with a pegged token; `null` without its past. */
async function pastUsd(
  ports: Pick<Ports, 'prices' | 'tokens' | 'history'>,
  chain: Chain,
  token: Token,
  bars: Bars,
): Promise<Float64Array | null> {
  for (const { address } of chain.tokens.filter(({ usdPegged }) => usdPegged)) {
    const pegged = await ports.tokens.byAddress(chain, address)
    const [pegUsd, ratio] = await Promise.all([
      ports.prices.usd(chain, pegged),
      ports.prices.ratio(chain, token, pegged),
    ])
    if (pegUsd === null || ratio === null) continue
    const past = await readPast(ports, chain, ratio.pool, bars)
    if (past !== null) return usdAt(past, ratio.pool, { pegged, pegUsd: pegUsd.usd, bars })
  }
  return null
}

async function readPast(
  ports: Pick<Ports, 'history'>,
  chain: Chain,
  pool: Pool,
  { startsAt, barSeconds }: Bars,
): Promise<PoolBars | null> {
  const from = startsAt[0] ?? 0
  const to = (startsAt.at(-1) ?? 0) + barSeconds
  try {
    const past = await ports.history.read({ chain, pool, from, to, barSeconds, needs: 'prices' })
    return past.bars.startsAt[0] === from ? past : null
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

type Peg = { readonly pegged: Token; readonly pegUsd: number; readonly bars: Bars }

function usdAt(past: PoolBars, pool: Pool, { pegged, pegUsd, bars }: Peg): Float64Array {
  const isToken1 = pool.token1.address === pegged.address
  const scale = 10 ** (pool.token0.decimals - pool.token1.decimals)
  const last = past.bars.closeTick.length - 1
  return Float64Array.from(bars.startsAt, (_, bar) => {
    const price = 1.0001 ** (past.bars.closeTick[Math.min(bar, last)] ?? 0) * scale
    return pegUsd * (isToken1 ? price : 1 / price)
  })
}

/**
 * The refusal of a pair that no dollars are known of: each token by the member that names it. It may be tried again where a
 * source that was named for one of them is silent or late.
 */
export async function noPrice(
  prices: Pick<PriceSource, 'doubt'>,
  chain: Chain,
  tokens: { readonly token0: Token; readonly token1: Token },
): Promise<ToolError> {
  const doubts = await Promise.all(Object.values(tokens).map((token) => prices.doubt(chain, token)))
  return new ToolError('PRICE_UNAVAILABLE', 'Neither token of this pair has a trustworthy price in US dollars.', {
    retryable: doubts.some(mayPass),
    details: Object.entries(tokens).map(([field, { address }]) => ({
      field,
      message: 'No pool of this token gives a price in US dollars.',
      accepted: 'a token that get_token_price knows a price of',
      token: address,
    })),
  })
}

/**
 * What gas costs now: the base fee of the newest block, the priority fees (wei per gas) that the lowest tenth, the half and
 * the highest tenth of the last blocks' gas paid at most (EIP-1559, eth_feeHistory), and the dollar cost of gas units at
 * the normal one. Fees that a rollup charges for its data on another chain are not counted.
 */
export async function readGasPrice(ports: Pick<Ports, 'rpc' | 'tokens' | 'prices'>, chain: Chain): Promise<GasPrice> {
  const client = ports.rpc.client(chain)
  const native = ports.tokens.wrapped(chain)
  const [head, history, price] = await Promise.all([
    ports.rpc.head(chain),
    client.getFeeHistory({ blockCount: historyBlocks, rewardPercentiles: [10, 50, 90] }),
    ports.prices.usd(chain, native),
  ])
  const rewards = history.reward ?? []
  const normal = median(rewards.map((row) => row[1] ?? 0n))
  const perGasWei = head.baseFeePerGas + normal
  return {
    blockNumber: head.number,
    baseFeeWei: head.baseFeePerGas,
    priorityFeeWei: {
      slow: median(rewards.map((row) => row[0] ?? 0n)),
      normal,
      fast: median(rewards.map((row) => row[2] ?? 0n)),
    },
    nativeUsd: price?.usd ?? null,
    costUsd: (gas) => valueUsd(gas * perGasWei, native, price),
  }
}

export type GasPrice = {
  readonly blockNumber: bigint
  readonly baseFeeWei: bigint
  readonly priorityFeeWei: { readonly slow: bigint; readonly normal: bigint; readonly fast: bigint }
  readonly nativeUsd: number | null
  /** US dollars for so many units of gas at the normal price; null without a price of the native currency. */
  costUsd(gas: bigint): number | null
}

const historyBlocks = 20

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}

/** Units of gas of one v3 operation, measured on the local chain with the real contracts; decrease collects as well. */
export const typicalGas = { swap: 126_000n, mint: 450_000n, decrease: 188_000n, collect: 202_000n } as const
