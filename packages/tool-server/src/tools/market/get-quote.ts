import { type Quote, type Token, tokenLabel } from '@svc/amm'
import { lessSlippage, withSlippage } from '@svc/amm/liquidity'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import {
  exactOutRefusal,
  keepingTokens,
  type KeepingToken,
  slippageWithFees,
} from '../../analysis/detect-transfer-fee.ts'
import { readGasPrice, trustedImpactBps } from '../../analysis/value-usd.ts'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import {
  anyVersionInput,
  chainInput,
  exactAmountOf,
  positiveAmountInput,
  requireDifferentTokens,
  tradeSlippageInput,
  tokenInput,
  tradeTypeInput,
} from '../params.ts'
import {
  blockResult,
  blockStamp,
  impactNotes,
  notesResult,
  poolsOf,
  priceNotes,
  saleNotes,
  suspectNotes,
  tokenAmount,
  tokenResult,
  tokenSummary,
  usdResult,
  versionsIn,
} from '../results.ts'

export const getQuote = readTool({
  name: 'get_quote',
  title: 'Swap quote',
  description:
    'What selling an exact amount would bring now, or buying one cost, over the best route of up to three pools, or over several where that brings more, with price impact, limits after slippage and gas. Use it before execute_swap.',
  scope: 'read:market',
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('In tokenIn; exact_out: in tokenOut'),
    chain: chainInput,
    type: tradeTypeInput.optional(),
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
    maxAmountIn: z.string(),
    price: z.number().describe('tokenOut per tokenIn'),
    priceImpactBps: z.number().describe('Worse than the market, without fees; negative: better'),
    version: z.string(),
    route: z.array(
      z.object({
        pool: z.string(),
        version: z.string(),
        fee: z.int(),
        tokenIn: z.string(),
        tokenOut: z.string(),
        sharePct: z.number().describe('Of amountIn'),
      }),
    ),
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
  const wanted = {
    tokenIn,
    tokenOut,
    ...exactAmountOf(input, tokenIn, tokenOut),
    ...(input.version === undefined ? { maySplit: true as const } : { versions: [input.version] }),
  }
  const [quote, gas, priceIn, priceOut, keeping, suspects] = await Promise.all([
    context.liquidity.quote(chain, wanted),
    readGasPrice(context, chain),
    context.prices.usd(chain, tokenIn),
    context.prices.usd(chain, tokenOut),
    keepingTokens(context, chain, [tokenIn, tokenOut]),
    suspectNotes(context, chain, [tokenOut]),
  ])
  const impactBps = trustedImpactBps(quote, [tokenIn, priceIn], [tokenOut, priceOut])
  const isExactOut = quote.isExactOut === true
  if (isExactOut && keeping.length > 0) throw exactOutRefusal(keeping)
  const kept = keeping.length === 0 ? null : await afterTransferFees(context, chain, { wanted, quote, keeping })
  const { amountOut } = kept ?? quote
  const slippageBps = kept === null ? input.slippageBps : slippageThatPasses(quote, kept, input.slippageBps)
  return {
    ...blockStamp(chain, context, quote.blockNumber),
    tokenIn: tokenSummary(tokenIn),
    tokenOut: tokenSummary(tokenOut),
    amountIn: tokenAmount(quote.amountIn, tokenIn),
    amountOut: tokenAmount(amountOut, tokenOut),
    minAmountOut: tokenAmount(isExactOut ? amountOut : lessSlippage(quote.amountOut, slippageBps), tokenOut),
    maxAmountIn: tokenAmount(isExactOut ? withSlippage(quote.amountIn, slippageBps) : quote.amountIn, tokenIn),
    price: unitPrice({ amountIn: quote.amountIn, amountOut }, tokenIn, tokenOut),
    priceImpactBps: impactBps ?? quote.priceImpactBps,
    version: versionsIn(poolsOf(quote)),
    route: routeResult(quote),
    gasEstimate: String(quote.gasEstimate),
    gasUsd: gas.costUsd(quote.gasEstimate),
    expiresAt: new Date(context.now() + quoteLifeMs).toISOString(),
    notes: [
      ...suspects,
      ...priceNotes([tokenIn, priceIn], [tokenOut, priceOut]),
      ...(await saleNotes(context, chain, [tokenOut, priceOut])),
      ...(impactBps === null ? [impactNote] : []),
      ...(priceIn?.band == null ? [unnamedSale(tokenIn)] : []),
      ...impactNotes(impactBps ?? quote.priceImpactBps),
      ...(kept === null ? [] : [keptNote(quote, kept, { tokenOut, slippageBps })]),
    ],
  }
})

function routeResult({ amountIn, route, parts }: Quote) {
  return (parts ?? [{ amountIn, route }]).flatMap((part) =>
    part.route.map(({ pool, tokenIn, tokenOut }) => ({
      pool: pool.id,
      version: pool.version,
      fee: pool.fee,
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      sharePct: Number((part.amountIn * 10_000n) / amountIn) / 100,
    })),
  )
}

const impactNote =
  'priceImpactBps is against the price of the pools on the way alone: a token has no named source of its price.'

/** The quote says what the pools pay; whether the wallet may sell for that is another question. */
function unnamedSale(token: Token): string {
  return `No named source tells what ${tokenLabel(token)} is worth: a sale of it counts as the whole limit of one transaction or is refused, and may need a person. execute_swap with dryRun says which.`
}

/** After this an agent should ask again rather than act. */
const quoteLifeMs = 30_000

/** Of a trade whose tokens keep a part of each transfer: what arrives once they have. */
type AfterFees = { readonly amountOut: bigint; readonly keeping: readonly KeepingToken[] }

type QuoteRequest = Parameters<ReadContext['liquidity']['quote']>[1]

async function afterTransferFees(
  { liquidity }: Pick<ReadContext, 'liquidity'>,
  chain: Chain,
  {
    wanted,
    quote,
    keeping,
  }: { readonly wanted: QuoteRequest; readonly quote: Quote; readonly keeping: readonly KeepingToken[] },
): Promise<AfterFees> {
  const leftOf = (amount: bigint, { address }: Token) => {
    const feeBps = keeping.find(({ token }) => token.address === address)?.feeBps ?? 0
    return amount - (amount * BigInt(feeBps)) / 10_000n
  }
  const { tokenIn, tokenOut, versions } = wanted
  const amountIn = leftOf(quote.amountIn, tokenIn)
  const isWhole = amountIn === quote.amountIn || amountIn === 0n
  const asked = { tokenIn, tokenOut, amountIn, ...(versions === undefined ? {} : { versions }) }
  const paid = isWhole ? quote : await liquidity.quote(chain, asked)
  return { amountOut: amountIn === 0n ? 0n : leftOf(paid.amountOut, wanted.tokenOut), keeping }
}

/** execute_swap holds what arrives against what the pools pay out: the slippage asked about where that lets it pass, else the least that does. */
function slippageThatPasses(quote: Quote, { amountOut, keeping }: AfterFees, slippageBps: number): number {
  const passes = quote.amountOut * BigInt(10_000 - slippageBps) <= amountOut * 10_000n
  return passes ? slippageBps : Math.min(slippageWithFees(keeping, slippageBps), 10_000)
}

function keptNote(
  quote: Quote,
  { keeping }: AfterFees,
  { tokenOut, slippageBps }: { readonly tokenOut: Token; readonly slippageBps: number },
): string {
  const kept = keeping.map(({ says }) => says).join(', ')
  return `${kept}: amountOut is what arrives of the ${tokenAmount(quote.amountOut, tokenOut)} that are quoted without it. Call execute_swap with slippageBps ${slippageBps}, where the policy allows so much: minAmountOut is at that.`
}

/** Whole tokenOut for one whole tokenIn. */
function unitPrice(quote: Pick<Quote, 'amountIn' | 'amountOut'>, tokenIn: Token, tokenOut: Token): number {
  return Number(tokenAmount(quote.amountOut, tokenOut)) / Number(tokenAmount(quote.amountIn, tokenIn))
}
