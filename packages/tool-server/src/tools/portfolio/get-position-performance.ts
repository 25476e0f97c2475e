import { isInRange } from '../../analysis/position/describe-position.ts'
import { formatAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Hash, TransactionReceiptNotFoundError } from 'viem'
import * as z from 'zod'
import {
  barsSince,
  swapsSince,
  type PairPrices,
  positionPerformance,
} from '../../analysis/position/position-performance.ts'
import { valueUsd } from '../../analysis/value-usd.ts'
import {
  type BlockTime,
  type PoolBars,
  type Position,
  type PositionChanges,
  type PositionEvents,
  type SwapRecord,
  type Token,
  ToolError,
  type UsdPrice,
} from '@svc/amm'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import { positionOfAny, pricesAlongside } from '../own-position.ts'
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
  const now = Math.floor(context.now() / 1000)
  const { position, history, past } = await readLife(context, chain, input, now)
  const { openedAt } = history
  const { bars, swaps, gasUsd, pricesThen, price0, price1 } = past
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

/**
 * A position, what became of it, and what the rest of the answer is made of. Its logs are asked for with its state where its version is
 * named, and the rest once these tell when it was opened: with them, where they said it before and still do.
 */
async function readLife(
  context: ReadContext,
  chain: Chain,
  named: Parameters<typeof positionOfAny>[1],
  now: number,
): Promise<{ position: Position; history: PositionEvents; past: Past }> {
  const begun = new Map<string, Promise<Past>>()
  let history: Promise<PositionEvents> | null = null
  let last: PositionChanges = { openedAt: null, events: [] }
  const pastOf = (changes: PositionChanges): Promise<Past> => {
    const name = [changes.openedAt, ...changes.events.map((one) => `${one.blockNumber} ${one.transactionHash}`)].join()
    const past = begun.get(name) ?? readPast(context, chain, { reading, changes, now })
    begun.set(name, past)
    return past
  }
  const begin = (changes: PositionChanges): void => {
    last = changes
    // Those of the last time may be others, and then nobody waits for what they need.
    pastOf(changes).catch(() => undefined)
  }
  const prices = pricesAlongside(chain, context)
  const reading: Promise<Position> = positionOfAny(chain, named, context, (tokens, at) => {
    prices(tokens, at)
    const { version, positionId } = named
    if (version === undefined || history !== null) return
    history = context.liquidity.positionEvents(chain, { version, positionId, blockNumber: at.number, reading }, begin)
    history.catch(() => undefined)
  })
  const position = await reading
  const found = await (history ?? context.liquidity.positionEvents(chain, position, begin))
  return { position, history: found, past: await pastOf(last) }
}

type Past = {
  readonly bars: PoolBars | null
  readonly swaps: readonly SwapRecord[] | null
  readonly gasUsd: number | null
  readonly pricesThen: ReadonlyMap<Hash, PairPrices>
} & PairPrices

async function readPast(context: ReadContext, chain: Chain, life: Life): Promise<Past> {
  const { openedAt } = life.changes
  const { now, reading } = life
  const position = await reading
  const { token0, token1 } = position.pool
  const present = Promise.all([context.prices.usd(chain, token0), context.prices.usd(chain, token1)])
  const [[price0, price1], bars, swaps, gasUsd, pricesThen] = await Promise.all([
    present,
    barsSince(context, chain, position, openedAt, now),
    swapsSince(context, chain, position, openedAt, now),
    gasOf(context, chain, life.changes),
    pricesAt(context, chain, { position, changes: life.changes, present }),
  ])
  return { bars, swaps, gasUsd, pricesThen, price0, price1 }
}

type Life = { readonly reading: Promise<Position>; readonly changes: PositionChanges; readonly now: number }

/** Worth, at today's price, of the gas of every transaction that changed the position; null where not all of them are to be had, or they are too many. */
async function gasOf(context: ReadContext, chain: Chain, changes: PositionChanges): Promise<number | null> {
  const hashes = [...new Set<Hash>(changes.events.map(({ transactionHash }) => transactionHash))]
  if (changes.openedAt === null || hashes.length > mostChanges) return null
  const client = context.rpc.client(chain)
  const native = context.tokens.wrapped(chain)
  try {
    const [price, ...receipts] = await Promise.all([
      context.prices.usd(chain, native),
      ...hashes.map((hash) => client.getTransactionReceipt({ hash })),
    ])
    const wei = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
    return valueUsd(wei, native, price)
  } catch (error) {
    // An endpoint may keep logs for longer than receipts.
    if (error instanceof ToolError || error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/** What the tokens were worth in the blocks of the changes, where the endpoint has their state and the same kind of source tells. */
async function pricesAt(context: ReadContext, chain: Chain, of: Changes): Promise<ReadonlyMap<Hash, PairPrices>> {
  const { token0, token1 } = of.position.pool
  const usdThen = async (token: Token, at: BlockTime, side: 0 | 1): Promise<UsdPrice | null> => {
    try {
      const [then, present] = await Promise.all([context.prices.usd(chain, token, at), of.present])
      return then !== null && then.method === present[side]?.method ? then : null
    } catch (error) {
      if (error instanceof ToolError) return null
      throw error
    }
  }
  const blocks = new Map(of.changes.events.map((event) => [event.transactionHash, event]))
  const found = new Map<Hash, PairPrices>()
  if (of.changes.openedAt === null || blocks.size > mostChanges) return found
  const all = [...blocks.values()]
  for (let start = 0; start < all.length; start += changesAtOnce) {
    const part = all.slice(start, start + changesAtOnce).map(async ({ transactionHash, blockNumber, timestamp }) => {
      const at = { number: blockNumber, timestamp: BigInt(timestamp) }
      const [price0, price1] = await Promise.all([usdThen(token0, at, 0), usdThen(token1, at, 1)])
      found.set(transactionHash, { price0, price1 })
      return price0 !== null && price1 !== null
    })
    // A state that is gone is not asked for again and again.
    if ((await Promise.all(part)).includes(false)) break
  }
  return found
}

type Changes = {
  readonly position: Position
  readonly changes: PositionChanges
  readonly present: Promise<readonly [UsdPrice | null, UsdPrice | null]>
}

const gasNote =
  'The gas is that of the transactions that changed the position, without approvals; that of a batch counts whole for each position in it.'
const timeNote =
  'timeInRangePct is an estimate: of an hour or a day in which the price passed an end of the range it counts the part of the move within.'
const poolPricesNote =
  "marketUsd and netPnlUsd go by the pool's own prices, which whoever trades there moves: what the tokens were worth at each change is not known."
const noPriceThenNote =
  'What the tokens were worth at each change is not known, and none is pegged to the dollar: no netPnlUsd.'
const mostChanges = 40
const changesAtOnce = 8
