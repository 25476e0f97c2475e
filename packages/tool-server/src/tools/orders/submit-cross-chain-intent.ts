import * as z from 'zod'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import {
  amountOf,
  chainInput,
  deadlineInput,
  deadlineOf,
  positiveAmountInput,
  tokenInput,
  tradeSlippageInput,
  wholeNumber,
} from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'

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
