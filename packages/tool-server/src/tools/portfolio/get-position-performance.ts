import { isInRange } from '../../analysis/position/describe-position.ts'
import { formatAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Hash, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import * as z from 'zod'
import { barsSince, swapsSince } from '../../analysis/position/position-past.ts'
import { type PairPrices, positionPerformance } from '../../analysis/position/position-performance.ts'
import { valueUsd } from '../../analysis/value-usd.ts'
import { type BlockTime, type Position, type PositionEvents, type Token, ToolError, type UsdPrice } from '@svc/amm'
import { readTool, type ReadContext } from '../../tool.ts'
import { positionOfAny } from '../own-position.ts'
import { chainInput, positionIdInput, rangedVersionInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, priceNotes, usdResult } from '../results.ts'

const amountsResult = z.object({ amount0: z.string(), amount1: z.string() })

export const getPositionPerformance = readTool({
  name: 'get_position_performance',
  title: 'Performance of a position',
  description:
    "What a v3 or v4 position brought since it was opened, without rewards: deposits, withdrawals, fees, IL against holding what was put in (negative: loss), net profit, fee APR, time in range. Amounts in the pool's order.",
  scope: 'read:portfolio',
  input: z.strictObject({
    positionId: positionIdInput,
    chain: chainInput,
    version: rangedVersionInput.optional().describe("Else the wallet's"),
  }),
  output: z.object({
    ...blockResult,
    pool: z.string(),
    token0Symbol: z.string(),
    token1Symbol: z.string(),
    openedAt: z.string().nullable(),
    ageDays: z.number().nullable(),
    inRange: z.boolean(),
    timeInRangePct: z.number().nullable(),
    deposits: amountsResult.nullable(),
    withdrawals: amountsResult.nullable(),
    fees: amountsResult.nullable().describe('Waiting ones included'),
    valueUsd: usdResult,
    hodlUsd: usdResult.describe('What was put in, at prices now'),
    feesUsd: usdResult,
    ilUsd: usdResult,
    vsHodlPct: z.number().nullable().describe('(ilUsd + feesUsd) / hodlUsd'),
    marketUsd: usdResult.describe('Price change of what was put in'),
    gasUsd: usdResult,
    netPnlUsd: usdResult.describe('ilUsd + feesUsd + marketUsd - gasUsd'),
    apr: z.number().nullable().describe('Of fees'),
    historyComplete: z.boolean(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const position = await positionOfAny(chain, input, context)
  const [history, price0, price1] = await Promise.all([
    context.liquidity.positionEvents(chain, position),
    context.prices.usd(chain, position.pool.token0),
    context.prices.usd(chain, position.pool.token1),
  ])
  const now = Math.floor(context.now() / 1000)
  const { openedAt } = history
  const [bars, swaps, { gasUsd, pricesThen }] = await Promise.all([
    barsSince(context, chain, position, openedAt, now),
    swapsSince(context, chain, position, openedAt, now),
    receiptsOf(context, chain, history).then(async (receipts) => ({
      gasUsd: await gasOf(context, chain, receipts),
      pricesThen: await pricesAt(context, chain, { position, history, receipts, now: [price0, price1] }),
    })),
  ])
  const performance = positionPerformance({
    ...history,
    position,
    price0,
    price1,
    pricesThen,
    bars: bars?.bars ?? null,
    swaps,
    gasUsd,
    now,
  })
  const { token0, token1 } = position.pool
  const { deposited, withdrawn, feeApr, netPnlDoubtUsd, isAtPoolPrices, isTimeEstimated, ...figures } = performance
  const amounts = ([amount0, amount1]: readonly [bigint, bigint]) => ({
    amount0: formatAmount(amount0, token0.decimals),
    amount1: formatAmount(amount1, token1.decimals),
  })
  const { earned } = history
  return {
    ...blockStamp(chain, context, position.pool.blockNumber),
    pool: position.pool.id,
    token0Symbol: token0.symbol,
    token1Symbol: token1.symbol,
    openedAt: openedAt === null ? null : new Date(openedAt * 1000).toISOString(),
    ageDays: openedAt === null ? null : Math.round(((now - openedAt) / 86_400) * 1e4) / 1e4,
    inRange: isInRange(position),
    deposits: openedAt === null ? null : amounts(deposited),
    withdrawals: openedAt === null ? null : amounts(withdrawn),
    fees: earned === null ? null : amounts([earned.fees0, earned.fees1]),
    ...figures,
    gasUsd,
    apr: feeApr,
    historyComplete: openedAt !== null && bars !== null,
    notes: [
      ...priceNotes([token0, price0], [token1, price1]),
      ...(position.liquidity === 0n ? ['The position is closed: all its liquidity was taken out.'] : []),
      ...(openedAt === null ? ['The logs do not reach back to the opening of this position.'] : []),
      ...(openedAt !== null && bars === null ? ['The price since the opening is not known as a whole.'] : []),
      ...(openedAt !== null && gasUsd === null ? ['What its transactions cost in gas is not known.'] : []),
      ...(gasUsd === null ? [] : [gasNote]),
      ...(isTimeEstimated ? [timeNote] : []),
      ...(isAtPoolPrices ? [poolPricesNote] : []),
      ...(figures.netPnlUsd === null || netPnlDoubtUsd === 0 ? [] : [doubtNote(netPnlDoubtUsd)]),
      ...(openedAt !== null && now - openedAt < 86_400 ? ['Open for less than a day: no apr.'] : []),
      ...(bars?.completeness.note == null ? [] : [bars.completeness.note]),
      ...(isAtPoolPrices || token0.usdPegged || token1.usdPegged || performance.marketUsd !== null
        ? []
        : [noPriceThenNote]),
    ],
  }
})

function doubtNote(usd: number): string {
  return `The pool's price at a deposit or withdrawal is known to its bar alone: netPnlUsd may be off by up to ${usd.toFixed(2)} USD.`
}

/** The receipts of every transaction that changed the position; null where not all of them are to be had, or they are too many. */
async function receiptsOf(
  { rpc }: ReadContext,
  chain: Chain,
  { events, openedAt }: PositionEvents,
): Promise<readonly TransactionReceipt[] | null> {
  const hashes = [...new Set<Hash>(events.map(({ transactionHash }) => transactionHash))]
  if (openedAt === null || hashes.length > mostReceipts) return null
  const client = rpc.client(chain)
  try {
    return await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
  } catch (error) {
    // An endpoint may keep logs for longer than receipts.
    if (error instanceof ToolError || error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/** Worth, at today's price, of the gas of every transaction that changed the position. */
async function gasOf(
  context: ReadContext,
  chain: Chain,
  receipts: readonly TransactionReceipt[] | null,
): Promise<number | null> {
  if (receipts === null) return null
  const wei = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
  const native = context.tokens.wrapped(chain)
  return valueUsd(wei, native, await context.prices.usd(chain, native))
}

/** What the tokens were worth in the blocks of the changes, where the endpoint has their state and the same kind of source tells. */
async function pricesAt(context: ReadContext, chain: Chain, of: Changes): Promise<ReadonlyMap<Hash, PairPrices>> {
  const { position, history, receipts, now } = of
  const changed = new Map(history.events.map((event) => [event.transactionHash, BigInt(event.timestamp)]))
  const { token0, token1 } = position.pool
  const usdThen = async (token: Token, at: BlockTime, present: UsdPrice | null): Promise<UsdPrice | null> => {
    try {
      const then = await context.prices.usd(chain, token, at)
      return then !== null && then.method === present?.method ? then : null
    } catch (error) {
      if (error instanceof ToolError) return null
      throw error
    }
  }
  const found = new Map<Hash, PairPrices>()
  for (const { transactionHash, blockNumber: number } of receipts ?? []) {
    const at = { number, timestamp: changed.get(transactionHash) ?? 0n }
    const [price0, price1] = await Promise.all([usdThen(token0, at, now[0]), usdThen(token1, at, now[1])])
    found.set(transactionHash, { price0, price1 })
    // A state that is gone is not asked for again and again.
    if (price0 === null || price1 === null) break
  }
  return found
}

type Changes = {
  readonly position: Position
  readonly history: PositionEvents
  readonly receipts: readonly TransactionReceipt[] | null
  readonly now: readonly [UsdPrice | null, UsdPrice | null]
}

const gasNote =
  'The gas is that of the transactions that changed the position, without approvals; that of a batch counts whole for each position in it.'
const timeNote =
  'timeInRangePct is an estimate: of an hour or a day in which the price passed an end of the range it counts the part of the move within.'
const poolPricesNote =
  "marketUsd and netPnlUsd go by the pool's own prices, which whoever trades there moves: what the tokens were worth at each change is not known."
const noPriceThenNote =
  'What the tokens were worth at each change is not known, and none is pegged to the dollar: no netPnlUsd.'
const mostReceipts = 40
