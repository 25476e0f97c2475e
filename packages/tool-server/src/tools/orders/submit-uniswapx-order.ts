import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import {
  amountOf,
  chainInput,
  deadlineInput,
  deadlineOf,
  positiveAmountInput,
  requireDifferentTokens,
  tokenInput,
  tradeSlippageInput,
} from '../params.ts'
import { notesResult, priceNotes, saleNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'

export const submitUniswapxOrder = writeTool({
  name: 'submit_uniswapx_order',
  title: 'Sell by an order',
  description:
    'Signs an order that sells an exact amount to whoever fills it before its deadline, never below slippageBps under the best route. Nothing moves at once: get_operation follows it, cancel_uniswapx_order ends it.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('In tokenIn'),
    chain: chainInput,
    slippageBps: tradeSlippageInput.optional(),
    deadlineSeconds: deadlineInput,
  }),
  output: z.object({
    ...writeResult,
    operationId: z.string().describe('For get_operation'),
    orderId: z.string(),
    isAccepted: z.boolean().describe('False: it may be filled all the same'),
    tokenIn: z.string(),
    tokenOut: z.string(),
    amountIn: z.string(),
    startAmountOut: z.string(),
    minAmountOut: z.string(),
    quotedAmountOut: z.string().describe('Of the best route'),
    amountInUsd: usdResult,
    expiresAt: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const tokenIn = await context.tokens.resolve(chain, input.tokenIn, 'tokenIn')
  const tokenOut = await context.tokens.resolve(chain, input.tokenOut, 'tokenOut')
  requireDifferentTokens(chain, tokenIn, tokenOut, 'tokenOut')
  const amountIn = amountOf(input.amount, tokenIn, 'amount')
  const [planned, priceIn, priceOut] = await Promise.all([
    context.orders.planSubmit(chain, {
      tokenIn,
      tokenOut,
      amountIn,
      slippageBps: input.slippageBps ?? context.defaults.slippageBps,
      latestDeadline: deadlineOf(input.deadlineSeconds, context),
      wallet: context.wallet.address,
    }),
    context.prices.usd(chain, tokenIn),
    context.prices.usd(chain, tokenOut),
  ])
  const { order, quotedAmountOut } = planned
  const notes = await saleNotes(context, chain, [tokenOut, priceOut])
  const intent = { ...planned.intent, notes }
  return context.execute(intent, (settled) => {
    if (settled.order === undefined) throw new TypeError('an intent with an order settles with one')
    const { operationId, orderId, isAccepted } = settled.order
    return {
      ...writeStamp(chain, intent, settled),
      operationId,
      orderId,
      isAccepted,
      tokenIn: tokenIn.symbol,
      tokenOut: tokenOut.symbol,
      amountIn: tokenAmount(order.amountIn, tokenIn),
      startAmountOut: tokenAmount(order.startAmountOut, tokenOut),
      minAmountOut: tokenAmount(order.endAmountOut, tokenOut),
      quotedAmountOut: tokenAmount(quotedAmountOut, tokenOut),
      amountInUsd: valueUsd(order.amountIn, tokenIn, priceIn),
      expiresAt: new Date(order.deadline * 1_000).toISOString(),
      notes: [
        ...(isAccepted ? [] : [notAccepted]),
        'txHash is the allowance that the order lives by; it is taken back once the order has ended.',
        ...settled.warnings,
        ...priceNotes([tokenIn, priceIn], [tokenOut, priceOut]),
      ],
    }
  })
})

const notAccepted =
  'The order is signed and counts, but those who fill have not taken it yet; it is offered again until it ends.'
