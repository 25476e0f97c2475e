import { priceFromSqrtPrice } from '@svc/lp-math'
import { tokenLabel, type TwammOrder, type TwammPool } from '@svc/amm'
import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { chainInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, tokenAmount } from '../results.ts'
import { orderIdInput, twammPoolInput } from '../twamm-order.ts'

export const getTwammOrderStatus = readTool({
  name: 'get_twamm_order_status',
  title: 'Order over time',
  description:
    'Shows how far an order of submit_twamm_order is: sold, earned, its price against that at its start. Where completed, call claim_twamm_order.',
  scope: 'read:portfolio',
  input: z.strictObject({ orderId: orderIdInput, pool: twammPoolInput, chain: chainInput }),
  output: z.object({
    ...blockResult,
    orderId: z.string(),
    status: z.enum(['active', 'completed', 'claimed', 'cancelled']),
    owner: z.string(),
    tokenIn: z.string(),
    tokenOut: z.string(),
    progress: z.object({
      percentComplete: z.number(),
      amountSold: z.string(),
      amountReceived: z.string(),
      avgPrice: z.string().nullable().describe('tokenOut per tokenIn'),
      remainingAmount: z.string(),
    }),
    timing: z.object({ startedAt: z.string(), expiresAt: z.string(), timeRemaining: z.string() }),
    vsSpotExecution: z.object({
      spotPriceAtStart: z.number().nullable(),
      currentAvgPrice: z.number().nullable(),
      twammPremiumPct: z.number().nullable(),
      note: z.string(),
    }),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const pool = await context.twamm.pool(chain, input.pool)
  const order = await context.twamm.order(chain, pool, input.orderId)
  const { tokenIn, tokenOut } = order
  const averagePrice = averageOf(order)
  return {
    ...blockStamp(chain, context, order.blockNumber),
    orderId: order.orderId,
    status: order.status,
    owner: order.owner,
    tokenIn: tokenIn.symbol,
    tokenOut: tokenOut.symbol,
    progress: {
      percentComplete: percentOf(order),
      amountSold: tokenAmount(order.amountSold, tokenIn),
      amountReceived: tokenAmount(order.amountReceived, tokenOut),
      avgPrice: averagePrice === null ? null : `${significant(averagePrice)}`,
      remainingAmount: tokenAmount(order.amountRemaining, tokenIn),
    },
    timing: {
      startedAt: isoOf(order.startedAt),
      expiresAt: isoOf(order.expiresAt),
      timeRemaining: order.status === 'active' ? `${order.expiresAt - order.readAt} s` : '0 s',
    },
    vsSpotExecution: againstSpot(order, pool, averagePrice),
    notes: notesOf(order),
  }
})

function percentOf({ amountSold, amountTotal }: TwammOrder): number {
  return amountTotal === 0n ? 0 : Number((amountSold * 10_000n) / amountTotal) / 100
}

/** In whole tokens; `null` before anything was sold. */
function averageOf({ amountSold, amountReceived, tokenIn, tokenOut }: TwammOrder): number | null {
  if (amountSold === 0n) return null
  return Number(tokenAmount(amountReceived, tokenOut)) / Number(tokenAmount(amountSold, tokenIn))
}

function againstSpot({ zeroForOne, sqrtPriceX96AtStart }: TwammOrder, { pool }: TwammPool, average: number | null) {
  const currentAvgPrice = average === null ? null : significant(average)
  if (sqrtPriceX96AtStart === null) {
    const note = 'Neither the state of that block nor a swap before it tells the price at the start.'
    return { spotPriceAtStart: null, currentAvgPrice, twammPremiumPct: null, note }
  }
  const price = priceFromSqrtPrice(sqrtPriceX96AtStart, pool.token0.decimals, pool.token1.decimals)
  const spot = zeroForOne ? price : 1 / price
  const premium = average === null ? null : Math.round((average / spot - 1) * 1e6) / 1e4
  return { spotPriceAtStart: significant(spot), currentAvgPrice, twammPremiumPct: premium, note: noteOf(premium) }
}

function noteOf(premiumPct: number | null): string {
  if (premiumPct === null) return 'Nothing is sold yet.'
  const where = premiumPct >= 0 ? 'above' : 'below'
  return `Sold ${Math.abs(premiumPct)} % ${where} the price at the start, fees included; a sale at once would have paid fee and price impact, too.`
}

function notesOf(order: TwammOrder): string[] {
  const { status, owedIn, owedOut, stands, blockNumber } = order
  if (status === 'active') return [`${asOf(blockNumber)} Only transactions in its pool settle an order.`]
  if (status === 'completed') return ['All is sold: claim_twamm_order takes home what it earned.']
  return [
    ...(status === 'cancelled' ? [unsoldOf(order)] : []),
    ...(!stands && (owedIn > 0n || owedOut > 0n)
      ? ['The hook still owes its owner: claim_twamm_order takes it home.']
      : []),
  ]
}

/** What a cancelled order did not sell is no longer to be sold, and so it stands beside what remains. */
function unsoldOf({ amountTotal, amountSold, tokenIn, owedIn }: TwammOrder): string {
  const unsold = `${tokenAmount(amountTotal - amountSold, tokenIn)} ${tokenLabel(tokenIn)}`
  return `Cancelling it ${owedIn > 0n ? 'frees' : 'gave back'} ${unsold} that it had not sold.`
}

/** An order sells by the time of blocks: where none is mined, it stands still. */
function asOf(blockNumber: bigint): string {
  return `All of this is as of block ${blockNumber} and its time; a settlement now counts what is sold since as well.`
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}

function significant(value: number): number {
  return Number(value.toPrecision(8))
}
