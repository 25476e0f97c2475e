import type { Quote, Token, UsdPrice } from '@svc/amm'
import * as z from 'zod'
import { keepingTokens } from '../../analysis/detect-transfer-fee.ts'
import { readGasPrice } from '../../analysis/read-gas-price.ts'
import { readTool } from '../../tool.ts'
import {
  amountOf,
  anyVersionInput,
  chainInput,
  positiveAmountInput,
  requireDifferentTokens,
  tradeSlippageInput,
  tokenInput,
} from '../params.ts'
import {
  blockResult,
  blockStamp,
  impactNotes,
  notesResult,
  priceNotes,
  suspectNotes,
  tokenAmount,
  tokenResult,
  tokenSummary,
  usdResult,
} from '../results.ts'

export const getQuote = readTool({
  name: 'get_quote',
  title: 'Swap quote',
  description:
    'What selling an exact amount would bring now over the best route, at most one token between, with price impact, minimum after slippage and gas. Use it before execute_swap.',
  scope: 'read:market',
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('In tokenIn'),
    chain: chainInput,
    type: z.literal('exact_in', { error: 'Accepted: exact_in' }).optional(),
    version: anyVersionInput.optional().describe('Only this version'),
    slippageBps: tradeSlippageInput.default(50).describe('execute_swap refuses more than some 100'),
  }),
  output: z.object({
    ...blockResult,
    tokenIn: tokenResult,
    tokenOut: tokenResult,
    amountIn: z.string(),
    amountOut: z.string(),
    minAmountOut: z.string(),
    price: z.number().describe('tokenOut per tokenIn'),
    priceImpactBps: z.number().describe('Worse than the market, without fees; negative: better'),
    version: z.string(),
    route: z.array(z.object({ pool: z.string(), fee: z.int(), tokenIn: z.string(), tokenOut: z.string() })),
    gasEstimate: z.string(),
    gasUsd: usdResult,
    expiresAt: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const tokenIn = await context.tokens.resolve(chain, input.tokenIn, 'tokenIn')
  const tokenOut = await context.tokens.resolve(chain, input.tokenOut, 'tokenOut')
  requireDifferentTokens(chain, tokenIn, tokenOut, 'tokenOut')
  const amountIn = amountOf(input.amount, tokenIn, 'amount')
  const [quote, gas, priceIn, priceOut, keeping] = await Promise.all([
    context.liquidity.quote(chain, {
      tokenIn,
      tokenOut,
      amountIn,
      ...(input.version === undefined ? {} : { versions: [input.version] }),
    }),
    readGasPrice(context, chain),
    context.prices.usd(chain, tokenIn),
    context.prices.usd(chain, tokenOut),
    keepingTokens(context, chain, [tokenIn, tokenOut]),
  ])
  const impactBps = trustedImpactBps(quote, [tokenIn, priceIn], [tokenOut, priceOut])
  return {
    ...blockStamp(chain, context, quote.blockNumber),
    tokenIn: tokenSummary(tokenIn),
    tokenOut: tokenSummary(tokenOut),
    amountIn: tokenAmount(quote.amountIn, tokenIn),
    amountOut: tokenAmount(quote.amountOut, tokenOut),
    minAmountOut: tokenAmount((quote.amountOut * BigInt(10_000 - input.slippageBps)) / 10_000n, tokenOut),
    price: unitPrice(quote, tokenIn, tokenOut),
    priceImpactBps: impactBps ?? quote.priceImpactBps,
    version: quote.version,
    route: quote.route.map((hop) => ({
      pool: hop.pool.id,
      fee: hop.pool.fee,
      tokenIn: hop.tokenIn.address,
      tokenOut: hop.tokenOut.address,
    })),
    gasEstimate: String(quote.gasEstimate),
    gasUsd: gas.costUsd(quote.gasEstimate),
    expiresAt: new Date(context.now() + quoteLifeMs).toISOString(),
    notes: [
      ...suspectNotes(context, chain, [tokenOut]),
      ...priceNotes([tokenIn, priceIn], [tokenOut, priceOut]),
      ...(impactBps === null ? [impactNote] : []),
      ...impactNotes(impactBps ?? quote.priceImpactBps),
      ...keeping.map(({ says }) => `${says}: less arrives than is quoted.`),
    ],
  }
})

const impactNote =
  'priceImpactBps is against the price of the pools on the way alone: a token has no named source of its price.'

/** After this an agent should ask again rather than act. */
const quoteLifeMs = 30_000

/** Whole tokenOut for one whole tokenIn. */
function unitPrice(quote: Quote, tokenIn: Token, tokenOut: Token): number {
  return Number(tokenAmount(quote.amountOut, tokenOut)) / Number(tokenAmount(quote.amountIn, tokenIn))
}

/**
 * How much worse than the trusted price a quote is, in hundredths of a percent, the fees of its pools left out; positive is
 * worse. `null` where a token has no named source that says anything: the mid price of the route is all there is then.
 */
function trustedImpactBps(
  { amountIn, amountOut, route }: Pick<Quote, 'amountIn' | 'amountOut' | 'route'>,
  [tokenIn, priceIn]: PricedSide,
  [tokenOut, priceOut]: PricedSide,
): number | null {
  const [bandIn, bandOut] = [priceIn?.band ?? null, priceOut?.band ?? null]
  if (bandIn === null || bandOut === null) return null
  const paid = amountIn * bandIn.midE18 * 10n ** BigInt(tokenOut.decimals)
  const bought = amountOut * bandOut.midE18 * 10n ** BigInt(tokenIn.decimals)
  if (paid === 0n) return null
  const feeBps = route.reduce((sum, { pool }) => sum + pool.fee / 100, 0)
  return Math.round(Number(((paid - bought) * 10_000n) / paid) - feeBps)
}

type PricedSide = readonly [Token, UsdPrice | null]
