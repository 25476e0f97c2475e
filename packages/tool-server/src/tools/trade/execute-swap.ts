import * as z from 'zod'
import { valueUsd } from '../../adapters/analytics/value-usd.ts'
import { writeTool } from '../../tool.ts'
import {
  amountOf,
  anyVersionInput,
  chainInput,
  deadlineInput,
  deadlineOf,
  positiveAmountInput,
  requireDifferentTokens,
  slippageInput,
  tokenInput,
} from '../params.ts'
import {
  notesResult,
  priceNotes,
  tokenAmount,
  tokenResult,
  tokenSummary,
  usdResult,
  writeResult,
  writeStamp,
} from '../results.ts'

export const executeSwap = writeTool({
  name: 'execute_swap',
  title: 'Swap tokens',
  description:
    'Sells an exact amount of a token over the best on-chain route and reports what really moved. Call get_quote first, or use dryRun. Never trades beyond slippageBps, never pays anyone but the agent wallet.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('Decimal string, in tokenIn'),
    chain: chainInput,
    version: anyVersionInput.optional().describe('Only this version'),
    slippageBps: slippageInput,
    deadlineSeconds: deadlineInput,
  }),
  output: z.object({
    ...writeResult,
    tokenIn: tokenResult,
    tokenOut: tokenResult,
    amountIn: z.string(),
    amountOut: z.string(),
    quotedAmountOut: z.string(),
    amountInUsd: usdResult,
    amountOutUsd: usdResult,
    price: z.number().describe('tokenOut per tokenIn'),
    priceImpactBps: z.number(),
    version: z.string(),
    pools: z.array(z.string()),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const tokenIn = await context.tokens.resolve(chain, input.tokenIn, 'tokenIn')
  const tokenOut = await context.tokens.resolve(chain, input.tokenOut, 'tokenOut')
  requireDifferentTokens(chain, tokenIn, tokenOut, 'tokenOut')
  const amountIn = amountOf(input.amount, tokenIn, 'amount')
  const versions = input.version === undefined ? {} : { versions: [input.version] }
  const [quote, priceIn, priceOut] = await Promise.all([
    context.liquidity.quote(chain, { tokenIn, tokenOut, amountIn, ...versions }),
    context.prices.usd(chain, tokenIn),
    context.prices.usd(chain, tokenOut),
  ])
  const planned = await context.liquidity.planSwap(chain, quote, {
    tokenIn,
    tokenOut,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    recipient: context.wallet.address,
  })
  return context.execute(planned.intent, async (settled) => {
    const moved = await planned.decode(settled)
    const [sold, bought] = [tokenAmount(moved.amountIn, tokenIn), tokenAmount(moved.amountOut, tokenOut)]
    return {
      ...writeStamp(chain, planned.intent, settled),
      tokenIn: tokenSummary(tokenIn),
      tokenOut: tokenSummary(tokenOut),
      amountIn: sold,
      amountOut: bought,
      quotedAmountOut: tokenAmount(quote.amountOut, tokenOut),
      amountInUsd: valueUsd(moved.amountIn, tokenIn, priceIn),
      amountOutUsd: valueUsd(moved.amountOut, tokenOut, priceOut),
      price: Number(bought) / Number(sold),
      priceImpactBps: settled.priceImpactBps ?? quote.priceImpactBps,
      version: quote.version,
      pools: quote.route.map((hop) => hop.pool.id),
      notes: [...settled.warnings, ...priceNotes([tokenIn, priceIn], [tokenOut, priceOut])],
    }
  })
})
