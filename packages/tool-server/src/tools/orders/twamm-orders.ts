import * as z from 'zod'
import { tokenLabel } from '@svc/amm'
import { valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import {
  amountOf,
  chainInput,
  positiveAmountInput,
  requireDifferentTokens,
  tokenInput,
  wholeNumber,
} from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'
import { requireTokensOf, twammPoolInput, orderIdInput, payoutOf, payoutResult } from '../twamm-order.ts'

/** 30 days: what is sold later than that was decided on in another market. */
const longestSeconds = 30 * 86_400

export const submitTwammOrder = writeTool({
  name: 'submit_twamm_order',
  title: 'Sell over time',
  description:
    'Sells an amount bit by bit over a time, through a v4 pool with a TWAMM hook that the policy names. The end rounds up to the interval of the hook. What it earns waits for claim_twamm_order; cancel_twamm_order ends it early.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    tokenIn: tokenInput,
    tokenOut: tokenInput,
    amount: positiveAmountInput.describe('All to sell, in tokenIn'),
    duration: wholeNumber(1, longestSeconds, 'whole seconds up to 30 days, at least the interval of the hook').describe(
      'Seconds; DURATION_TOO_SHORT names the least',
    ),
    chain: chainInput,
    pool: twammPoolInput.optional().describe('v4 id; else found'),
  }),
  output: z.object({
    ...writeResult,
    orderId: z.string(),
    pool: z.string(),
    tokenIn: z.object({ symbol: z.string(), totalAmount: z.string() }),
    tokenOut: z.object({ symbol: z.string() }),
    duration: z.int().describe('Real seconds'),
    sellRate: z.string().describe('tokenIn a second'),
    estimatedOutput: z.string().describe('At the price now, less the fee'),
    amountUsd: usdResult,
    expiresAt: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const tokenIn = await context.tokens.resolve(chain, input.tokenIn, 'tokenIn')
  const tokenOut = await context.tokens.resolve(chain, input.tokenOut, 'tokenOut')
  requireDifferentTokens(chain, tokenIn, tokenOut, 'tokenOut')
  const amountIn = amountOf(input.amount, tokenIn, 'amount')
  const pool = await (input.pool === undefined
    ? context.twamm.findPool(chain, tokenIn, tokenOut)
    : context.twamm.pool(chain, input.pool))
  requireTokensOf(pool.pool, tokenIn, tokenOut)
  const [planned, price] = await Promise.all([
    context.twamm.planSubmit(chain, pool, {
      tokenIn,
      tokenOut,
      amountIn,
      durationSeconds: input.duration,
      owner: context.wallet.address,
      kept: context.keptParts()?.[0] ?? null,
    }),
    context.prices.usd(chain, tokenIn),
  ])
  return context.execute(planned.intent, async (settled) => {
    const placed = await planned.decode(settled)
    const duration = placed.expiresAt - placed.startedAt
    const rest = amountIn - placed.amountIn
    return {
      ...writeStamp(chain, planned.intent, settled),
      orderId: placed.orderId,
      pool: pool.pool.id,
      tokenIn: { symbol: tokenIn.symbol, totalAmount: tokenAmount(placed.amountIn, tokenIn) },
      tokenOut: { symbol: tokenOut.symbol },
      duration,
      sellRate: tokenAmount(placed.sellRate, tokenIn),
      estimatedOutput: tokenAmount((planned.preview.amountOut * placed.amountIn) / amountIn, tokenOut),
      amountUsd: valueUsd(placed.amountIn, tokenIn, price),
      expiresAt: new Date(placed.expiresAt * 1_000).toISOString(),
      notes: [
        ...settled.warnings,
        `sellRate is ${tokenLabel(tokenIn)} a second; the orders of this hook end every ${pool.intervalSeconds} seconds.`,
        ...(duration === input.duration
          ? []
          : [
              `Asked for ${input.duration} seconds; orders of this hook end every ${pool.intervalSeconds}, so it lasts ${duration}.`,
            ]),
        ...(rest > 0n
          ? [`${tokenAmount(rest, tokenIn)} ${tokenIn.symbol} did not divide by the seconds and stayed in the wallet.`]
          : []),
        ...priceNotes([tokenIn, price]),
      ],
    }
  })
})

export const cancelTwammOrder = writeTool({
  name: 'cancel_twamm_order',
  title: 'Cancel an order over time',
  description:
    'Ends an active order of the agent wallet (submit_twamm_order) and takes home what is not sold and what it earned. Pays the agent wallet only.',
  scope: 'write:trade',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ orderId: orderIdInput, pool: twammPoolInput, chain: chainInput }),
  output: z.object({ ...writeResult, orderId: z.string(), ...payoutResult }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const pool = await context.twamm.pool(chain, input.pool)
  const order = await context.twamm.ownOrder(chain, pool, input.orderId, context.wallet.address)
  const planned = context.twamm.planCancel(chain, pool, order)
  return context.execute(planned.intent, async (settled) => {
    const paid = await planned.decode(settled)
    return {
      ...writeStamp(chain, planned.intent, settled),
      orderId: order.orderId,
      ...(await payoutOf(order, paid, settled, { chain, prices: context.prices })),
    }
  })
})

export const claimTwammOrder = writeTool({
  name: 'claim_twamm_order',
  title: 'Claim an order over time',
  description:
    'Takes home what an order of the agent wallet (submit_twamm_order) has earned: all of it once it is completed, so far while it is active. Pays the agent wallet only.',
  scope: 'write:trade',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ orderId: orderIdInput, pool: twammPoolInput, chain: chainInput }),
  output: z.object({ ...writeResult, orderId: z.string(), ...payoutResult }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const pool = await context.twamm.pool(chain, input.pool)
  const order = await context.twamm.ownOrder(chain, pool, input.orderId, context.wallet.address)
  const planned = context.twamm.planClaim(chain, pool, order)
  return context.execute(planned.intent, async (settled) => {
    const paid = await planned.decode(settled)
    return {
      ...writeStamp(chain, planned.intent, settled),
      orderId: order.orderId,
      ...(await payoutOf(order, paid, settled, { chain, prices: context.prices })),
    }
  })
})
