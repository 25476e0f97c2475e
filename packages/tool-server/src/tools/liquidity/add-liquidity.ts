import { safetyChecks } from '@svc/amm/plan'
import * as z from 'zod'
import type { Entry } from '../../analysis/memory/episodes.ts'
import { insightsResult, recallPair } from '../../analysis/memory/pair-insights.ts'
import { remember } from '../../analysis/memory/remember.ts'
import { estimateFeeApy } from '../../analysis/fees/estimate-fee-apy.ts'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { withinTime } from '@svc/runtime'
import {
  type AddPreview,
  type AddRequest,
  type BlockTime,
  type Intent,
  type Settled,
  type Token,
  tokenLabel,
  type UsdPrice,
} from '@svc/amm'
import { writeTool } from '../../tool.ts'
import { addContradictions, addParams, addRequestOf } from '../add-request.ts'
import { chainInput } from '../params.ts'
import {
  endsOf,
  notesResult,
  onceMined,
  poolSummary,
  poolSummaryResult,
  priceNotes,
  symbolsOf,
  symbolsResult,
  tokenAmount,
  usdResult,
  writeResult,
  writeStamp,
} from '../results.ts'

const input = z.strictObject({ ...addParams, chain: chainInput }).superRefine((value, check) => {
  for (const [field, message] of addContradictions(value)) check.addIssue({ code: 'custom', path: [field], message })
})

export const addLiquidity = writeTool({
  name: 'add_liquidity',
  title: 'Add liquidity',
  description:
    'Opens a position in a v2, v3 or v4 pool, creating a missing one at the price of the amounts. Prices (token1 per token0) and amounts follow your token order; amount1 is matched when left out. createPool: even without a trusted price. v4 may take more of one token than given: 10 % in narrow at 50 bps.',
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input,
  output: z.object({
    ...writeResult,
    positionId: z.string(),
    version: z.string(),
    pool: poolSummaryResult,
    ...symbolsResult,
    amount0Deposited: z.string(),
    amount1Deposited: z.string(),
    amount0DepositedUsd: usdResult,
    amount1DepositedUsd: usdResult,
    priceLower: z.number().nullable(),
    priceUpper: z.number().nullable(),
    currentPrice: z.number(),
    rangeWidth: z.string().describe('Lower to upper, of the price'),
    estimatedFeeApy7d: z.number().nullable().describe('Percent a year, on the path of 7 days past'),
    safetyChecks,
    notes: notesResult,
    insights: insightsResult.optional(),
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const request = await addRequestOf(input, chain, context, context.keptDeposits()[0])
  const { token0, token1 } = request
  const [planned, price0, price1, remembered] = await Promise.all([
    context.liquidity.planAdd(chain, request),
    context.prices.usd(chain, token0),
    context.prices.usd(chain, token1),
    recallPair(context, chain, [token0, token1]),
  ])
  const { preview } = planned
  const intent: Intent = input.createPool ? { ...planned.intent, allowsUnpricedPool: true } : planned.intent
  // What the pool has traded is read while the transactions are on their way; a plan is shown without it.
  const apyOf = context.isDryRun
    ? async () => apyTooLate
    : estimateFeeApy(context, chain, preview, context.now(), blockOf(price0 ?? price1))
  const reading = onceMined((mined) => planned.decode(mined))
  let entry: Entry | null = null
  const shape = async (settled: Settled) => {
    const added = await reading(settled)
    const estimate = apyOf({ ...preview, liquidity: added.liquidity })
    const apy = await withinTime(estimate, context.figuresWithinMs ?? apyTimeoutMs, apyTooLate)
    const sides = [valueUsd(added.amount0, token0, price0), valueUsd(added.amount1, token1, price1)] as const
    entry = {
      preview,
      added,
      settled,
      isInverted: intent.deposits?.[0]?.isInverted ?? false,
      depositedUsd: sumUsd(...sides),
      predictedFeeApyPct: apy.apyPct,
    }
    return {
      ...writeStamp(chain, intent, settled),
      positionId: added.positionId,
      version: request.version,
      pool: poolSummary(preview.pool, intent.deposits?.[0]?.isInverted),
      ...symbolsOf(token0, token1),
      amount0Deposited: tokenAmount(added.amount0, token0),
      amount1Deposited: tokenAmount(added.amount1, token1),
      amount0DepositedUsd: sides[0],
      amount1DepositedUsd: sides[1],
      ...endsOf(preview),
      currentPrice: preview.currentPrice,
      rangeWidth: rangeWidth(request, preview),
      estimatedFeeApy7d: apy.apyPct,
      safetyChecks: settled.safetyChecks,
      notes: [
        ...(planned.notes ?? []),
        ...settled.warnings,
        ...priceNotes([token0, price0], [token1, price1]),
        ...sidesNotes([token0, sides[0]], [token1, sides[1]]),
        ...apy.notes,
      ],
    }
  }
  const answer = await context.execute(intent, shape, { begin: reading })
  await remember(context, chain, { entries: entry === null ? [] : [entry] })
  return remembered === null ? answer : { ...answer, insights: remembered.insights }
})

/** The money has moved by then: the answer does not wait long for a figure beside it. */
const apyTimeoutMs = 5_000
const apyTooLate = { apyPct: null, notes: ['The pool has too many swap logs to estimate estimatedFeeApy7d in time.'] }

/** The block that a price was read at, which was the newest. */
function blockOf(price: UsdPrice | null): BlockTime | undefined {
  return price === null ? undefined : { number: price.blockNumber, timestamp: BigInt(price.readAt) }
}

/** Where the worth of both sides differs by more than a quarter; of one side alone the plan warns. */
function sidesNotes(...sides: readonly (readonly [Token, number | null])[]): readonly string[] {
  const worth = sides.flatMap(([, usd]) => (usd === null || usd === 0 ? [] : [usd]))
  if (worth.length < sides.length || Math.min(...worth) >= 0.75 * Math.max(...worth)) return []
  const texts = sides.map(([token, usd]) => `${usd?.toFixed(2)} USD of ${tokenLabel(token)}`)
  return [
    `The range takes unlike worths at this price, here ${texts.join(' and ')}: bounds as far off in percent need not be in value.`,
  ]
}

/** Full width in percent of the price. */
function rangeWidth(request: AddRequest, preview: AddPreview): string {
  const { range } = request
  if (range === null || range === 'full') return 'full'
  if ('priceUpper' in range && range.priceUpper === Number.POSITIVE_INFINITY) return 'open above'
  return `${(((preview.priceUpper - preview.priceLower) / preview.currentPrice) * 100).toFixed(2)}%`
}
