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
  wholeNumber,
} from '../params.ts'
import { notesResult, priceNotes, saleNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'
import { ToolError } from '@svc/amm'
import { orderIdInput } from '../twamm-order.ts'

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

export const cancelUniswapxOrder = writeTool({
  name: 'cancel_uniswapx_order',
  title: 'Cancel a signed order',
  description:
    'Ends an open order of submit_uniswapx_order: uses its nonce up, so that nobody can fill it, and takes its allowance back. A fill that is mined first stands; get_operation says.',
  scope: 'write:trade',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ orderId: orderIdInput, chain: chainInput }),
  output: z.object({
    ...writeResult,
    orderId: z.string(),
    operationId: z.string(),
    orderStatus: z.string(),
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const viewed = await context.operations.order(chain, input.orderId)
  if (viewed.status !== 'open') {
    throw new ToolError('ORDER_NOT_ACTIVE', `The order is ${viewed.status} already.`, {
      details: [{ field: 'orderId', message: `It is ${viewed.status}.`, operationId: viewed.operationId }],
    })
  }
  const intent = context.orders.planCancel(chain, viewed.order, viewed.orderId)
  return context.execute(intent, async (settled) => {
    const { operationId, status } = await context.operations.order(chain, input.orderId)
    return { ...writeStamp(chain, intent, settled), orderId: input.orderId, operationId, orderStatus: status }
  })
})

export const submitCrossChainIntent = writeTool({
  name: 'submit_cross_chain_intent',
  title: 'Move to another chain by an order',
  description:
    'Opens an ERC-7683 order: an exact amount leaves now, and whoever fills it before its deadline pays this wallet on destinationChain, at fair prices of both chains less slippageBps and relayerFeeBps. get_operation follows both ends, and the refund where nobody fills it.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput.describe('Of destinationChain'),
    amount: positiveAmountInput.describe('In tokenIn'),
    chain: chainInput,
    destinationChain: chainInput,
    slippageBps: tradeSlippageInput.optional(),
    relayerFeeBps: wholeNumber(0, 200, 'whole basis points from 0 to 200').default(20),
    deadlineSeconds: deadlineInput,
  }),
  output: z.object({
    ...writeResult,
    operationId: z.string().describe('For get_operation'),
    orderId: z.string(),
    isOpened: z.boolean().describe('False: the settler took the amount and announced something else'),
    destinationChain: z.object({ id: z.int(), name: z.string() }),
    tokenIn: z.string(),
    tokenOut: z.string(),
    amountIn: z.string(),
    minAmountOut: z.string(),
    recipient: z.string(),
    amountInUsd: usdResult,
    fillDeadline: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const destination = context.chains.get(input.destinationChain, 'destinationChain')
  const [tokenIn, tokenOut] = await Promise.all([
    context.tokens.resolve(chain, input.tokenIn, 'tokenIn'),
    context.tokens.resolve(destination, input.tokenOut, 'tokenOut'),
  ])
  const amountIn = amountOf(input.amount, tokenIn, 'amount')
  const [{ order, intent }, priceIn] = await Promise.all([
    context.crossChain.planOpen(chain, {
      destination,
      tokenIn,
      tokenOut,
      amountIn,
      slippageBps: input.slippageBps ?? context.defaults.slippageBps,
      relayerFeeBps: input.relayerFeeBps,
      leastOut: context.keptReceipts()[0]?.amount ?? 0n,
      fillDeadline: deadlineOf(input.deadlineSeconds, context),
      wallet: context.wallet.address,
    }),
    context.prices.usd(chain, tokenIn),
  ])
  return context.execute(intent, (settled) => {
    if (settled.order === undefined) throw new TypeError('an intent with a cross-chain order settles with one')
    const { operationId, orderId, isAccepted } = settled.order
    return {
      ...writeStamp(chain, intent, settled),
      operationId,
      orderId,
      isOpened: isAccepted,
      destinationChain: { id: destination.id, name: destination.name },
      tokenIn: tokenIn.symbol,
      tokenOut: tokenOut.symbol,
      amountIn: tokenAmount(order.inputAmount, tokenIn),
      minAmountOut: tokenAmount(order.outputAmount, tokenOut),
      recipient: order.recipient,
      amountInUsd: valueUsd(order.inputAmount, tokenIn, priceIn),
      fillDeadline: new Date(order.fillDeadline * 1_000).toISOString(),
      notes: [isAccepted ? counts : misopened, ...settled.warnings, ...priceNotes([tokenIn, priceIn])],
    }
  })
})

const counts = 'What left counts against the limits until get_operation says that it was filled or came back.'
const misopened =
  'The settler announced another order than the one asked for, or none: what left counts as lost. Have the operator look at it.'
