import type { Bars } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Pool, type PoolBars, type Token, ToolError, mayPass, type PriceSource } from '@svc/amm'
import type { Ports } from '../ports.ts'

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
