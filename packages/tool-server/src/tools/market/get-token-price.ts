import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { mayPass, type Pool, type PriceWitness, type Token, tokenLabel, ToolError, type UsdPrice } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import * as z from 'zod'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import { chainInput, requireDifferentTokens, tokenInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, tokenResult, tokenSummary, usdResult } from '../results.ts'

/** The band that limits count with, and what each named source says of it; null and empty where nobody named one. */
const bandResult = {
  lowUsd: usdResult.describe('Lowest that limits count with'),
  highUsd: usdResult,
  sources: z.array(z.string()),
}

export const getTokenPrice = readTool({
  name: 'get_token_price',
  title: 'Token price',
  description:
    'Price of a token in US dollars or another token from named feeds and pools, else the deepest pools, with confidence. Use get_quote for what a trade would really pay. An error without a trustworthy pool.',
  scope: 'read:market',
  input: z.strictObject({
    token: tokenInput,
    chain: chainInput,
    quote: tokenInput.default('USD').describe('USD, or a token'),
  }),
  output: z.object({
    ...blockResult,
    token: tokenResult,
    quote: z.string(),
    price: z.number(),
    priceUsd: usdResult,
    method: z.string(),
    pool: z.string().nullable(),
    liquidityUsd: usdResult,
    change24hPct: z.number().nullable(),
    confidence: z.string(),
    ...bandResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const token = await context.tokens.resolve(chain, input.token, 'token')
  if (input.quote === 'USD') return inDollars(chain, token, context)
  const quote = await context.tokens.resolve(chain, input.quote, 'quote')
  requireDifferentTokens(chain, token, quote, 'quote')
  return inToken(chain, token, quote, context)
})

async function inDollars(chain: Chain, token: Token, context: ReadContext) {
  const [price, change24hPct] = await Promise.all([
    context.prices.usd(chain, token),
    token.usdPegged ? null : dollarChange(chain, token, context),
  ])
  if (price === null) throw await unavailable(chain, token, context)
  return {
    ...blockStamp(chain, context, price.blockNumber),
    token: tokenSummary(token),
    quote: 'USD',
    price: price.usd,
    priceUsd: price.usd,
    method: price.method,
    pool: price.pools[0] ?? null,
    liquidityUsd: price.liquidityUsd,
    change24hPct,
    confidence: price.confidence,
    ...bandOf(price),
    notes: [...changeNotes(change24hPct, token), depthNote(price)],
  }
}

async function inToken(chain: Chain, token: Token, quote: Token, context: ReadContext) {
  const [ratio, tokenUsd, quoteUsd] = await Promise.all([
    context.prices.ratio(chain, token, quote),
    context.prices.usd(chain, token),
    context.prices.usd(chain, quote),
  ])
  if (ratio === null) throw noRatio(token, quote)
  const change = await readPriceChange(context, chain, ratio.pool, token, context.now())
  return {
    ...blockStamp(chain, context, ratio.pool.blockNumber),
    token: tokenSummary(token),
    quote: quote.symbol,
    price: ratio.price,
    priceUsd: tokenUsd?.usd ?? null,
    method: 'pool_spot',
    pool: ratio.pool.id,
    liquidityUsd: tokenUsd?.liquidityUsd ?? null,
    change24hPct: change,
    confidence: agreement(ratio.price, tokenUsd, quoteUsd),
    ...bandOf(tokenUsd),
    notes: [...changeNotes(change, token), ...(tokenUsd === null ? [] : [depthNote(tokenUsd)])],
  }
}

function bandOf(price: UsdPrice | null) {
  const { band = null, witnesses = [] } = price ?? {}
  return {
    lowUsd: band && usdOf(band.lowE18),
    highUsd: band && usdOf(band.highE18),
    sources: witnesses.map(lineOf),
  }
}

/** What a source says in dollars, whether it counts, and what it rests on. */
function lineOf({ source, lowE18, highE18, counts, note }: PriceWitness): string {
  if (lowE18 === null || highE18 === null) return `${source} is silent: ${note}`
  const range = lowE18 === highE18 ? `${usdOf(lowE18)}` : `${usdOf(lowE18)} to ${usdOf(highE18)}`
  return `${source} says ${range}${counts ? '' : ', not counted'}: ${note}`
}

/** Six digits, for people and programs that show it. */
function usdOf(priceE18: bigint): number {
  return Number((Number(priceE18) / 1e18).toPrecision(6))
}

/** A spot price is as good as its agreement with the dollar prices of both sides: within 1 % HIGH, within 5 % MODERATE. */
function agreement(price: number, tokenUsd: UsdPrice | null, quoteUsd: UsdPrice | null): 'HIGH' | 'MODERATE' | 'LOW' {
  if (tokenUsd === null || quoteUsd === null || quoteUsd.usd === 0) return 'LOW'
  const deviation = Math.abs(price / (tokenUsd.usd / quoteUsd.usd) - 1)
  return deviation <= 0.01 ? 'HIGH' : deviation <= 0.05 ? 'MODERATE' : 'LOW'
}

async function dollarChange(chain: Chain, token: Token, context: ReadContext): Promise<number | null> {
  const pegged = chain.tokens.filter(({ usdPegged }) => usdPegged === true)
  const ratios = await Promise.all(
    pegged.map(async ({ address }) =>
      context.prices.ratio(chain, token, await context.tokens.byAddress(chain, address)),
    ),
  )
  const ratio = ratios.find((one) => one !== null)
  return ratio === undefined ? null : readPriceChange(context, chain, ratio.pool, token, context.now())
}

function depthNote({ pools }: UsdPrice): string {
  return pools.length === 0
    ? 'liquidityUsd is 0 as no pool is part of the price: its sources need none.'
    : 'liquidityUsd is what the pools of the dollar price hold on their shallower side, less than their tvlUsd.'
}

function changeNotes(change: number | null, token: Token): string[] {
  return change === null && !token.usdPegged ? ['No complete trading history for change24hPct.'] : []
}

async function unavailable(chain: Chain, token: Token, { prices }: ReadContext): Promise<ToolError> {
  const message = `No pool gives a trustworthy price of ${tokenLabel(token)}.`
  return new ToolError('PRICE_UNAVAILABLE', message, {
    retryable: mayPass(await prices.doubt(chain, token)),
    details: [{ field: 'token', message, accepted: 'a token that trades in a deep pool' }],
    suggestion:
      'search_pools with token shows what it trades against, get_quote what a sale would bring now; a named source, or a deep pool against a dollar token or the native currency, gives a price.',
  })
}

function noRatio(token: Token, quote: Token): ToolError {
  const message = `No pool trades ${tokenLabel(token)} against ${tokenLabel(quote)}.`
  return new ToolError('PRICE_UNAVAILABLE', message, {
    details: [{ field: 'quote', message, accepted: 'USD, or a token that it trades against in a pool' }],
    suggestion: 'Ask for the price of each in USD, or search_pools for what it trades against.',
  })
}

/**
 * Change of the price of `token` in a pool's other token over the last 24 hours in percent, out of swap logs; null where they
 * cannot be had. Only logs around that time are read, not those of the whole day. `nowMs` is Unix milliseconds.
 */
async function readPriceChange(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  token: Token,
  nowMs: number,
): Promise<number | null> {
  try {
    const then = await priceDayAgo(ports, chain, pool, Math.floor(nowMs / 1000) - 86_400)
    if (then === null) return null
    const growth = priceOf(pool, pool.sqrtPriceX96) / priceOf(pool, then)
    return Math.round(((isSide(chain, pool.token1, token) ? 1 / growth : growth) - 1) * 1e6) / 1e4
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** How far before the moment to look for the swap that set the price then. */
const lookbackSeconds = 6 * 3600

/** The price that stood at a time; for a pool that was quiet around then, after the first swap since. */
async function priceDayAgo(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  time: number,
): Promise<bigint | null> {
  const { swaps: around } = await ports.liquidity.swaps(chain, pool, time - lookbackSeconds, time)
  const last = around.findLast((swap) => swap.timestamp <= time)
  if (last !== undefined) return last.sqrtPriceX96
  const { swaps, complete } = await ports.liquidity.swaps(chain, pool, time)
  return complete ? (swaps[0]?.sqrtPriceX96 ?? pool.sqrtPriceX96) : null
}

function priceOf(pool: Pool, sqrtPriceX96: bigint): number {
  return priceFromSqrtPrice(sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
}

/** Whether a pool's side is the token, the native currency and its wrapped form being one. */
function isSide(chain: Chain, side: Token, token: Token): boolean {
  const own = (one: Token) => (one.isNative ? chain.wrappedNative.address : one.address)
  return own(side) === own(token)
}
