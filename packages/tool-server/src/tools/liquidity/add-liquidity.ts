import { safetyChecks } from '@svc/amm/plan'
import * as z from 'zod'
import { type Entry, remember } from '../../analysis/memory/episodes.ts'
import { insightsResult, recallPair } from '../../analysis/memory/pair-insights.ts'
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
  type Position,
} from '@svc/amm'
import { writeTool } from '../../tool.ts'
import { addContradictions, addParams, addRequestOf } from '../position-params.ts'
import {
  chainInput,
  amountInput,
  amountOf,
  deadlineInput,
  deadlineOf,
  invalidField,
  positionIdInput,
  rangedVersionInput,
  slippageInput,
  tokenInput,
} from '../params.ts'
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
  inOrder,
} from '../results.ts'
import { type Amounts, getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { WriteContext } from '../../tool-context.ts'
import { isSecondToken, ownPricedPosition } from '../own-position.ts'

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

export const increaseLiquidity = writeTool({
  name: 'increase_liquidity',
  title: 'Increase liquidity',
  description:
    'Adds tokens to a v3 or v4 position of the agent wallet, some blocks (a minute at most) after it came. amount0 is of token0; without token0, of the first token get_position shows. v4 may take more of one token than given: 10 % in narrow at 50 bps.',
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    positionId: positionIdInput,
    token0: tokenInput.optional(),
    amount0: amountInput,
    amount1: amountInput.optional().describe('Else matched'),
    chain: chainInput,
    version: rangedVersionInput.default('v3'),
    payNative: z.boolean().default(false).describe('v3: pay the wrapped side natively'),
    slippageBps: slippageInput,
    deadlineSeconds: deadlineInput,
  }),
  output: z.object({
    ...writeResult,
    positionId: z.string(),
    ...symbolsResult,
    amount0Added: z.string(),
    amount1Added: z.string(),
    newTotalAmount0: z.string(),
    newTotalAmount1: z.string(),
    newTotalValueUsd: usdResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const first = input.token0 === undefined ? null : await context.tokens.resolve(chain, input.token0, 'token0')
  const { held: position, ...prices } = await ownPricedPosition(chain, input, context)
  const inverted = first !== null && isSecondToken(first, position, context.tokens.wrapped(chain))
  const [token0, token1] = inOrder(inverted, position.pool.token0, position.pool.token1)
  const [price0, price1] = inOrder(inverted, prices.price0, prices.price1)
  const amount0 = amountOf(input.amount0, token0, 'amount0')
  const amount1 = input.amount1 === undefined ? null : amountOf(input.amount1, token1, 'amount1')
  if (amount0 === 0n && (amount1 ?? 0n) === 0n) {
    throw invalidField('amount0', 'Nothing would be added.', 'an amount above 0, or an amount1 above 0 beside it')
  }
  const planned = await context.liquidity.planIncrease(chain, position, {
    inverted,
    amount0,
    amount1,
    payNative: input.payNative,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    kept: context.keptDeposits()[0],
  })
  const after = positionAfter(chain, position, context)
  const reading = onceMined((mined) => Promise.all([planned.decode(mined), after.read(mined)]))
  const shape = async (settled: Settled) => {
    const [added, now] = await reading(settled)
    const total = totalAfter(position, now, added.liquidity)
    const [added0, added1] = inOrder(inverted, added.amount0, added.amount1)
    const [total0, total1] = inOrder(inverted, total.amount0, total.amount1)
    return {
      ...writeStamp(chain, planned.intent, settled),
      positionId: position.positionId,
      ...symbolsOf(token0, token1),
      amount0Added: tokenAmount(added0, token0),
      amount1Added: tokenAmount(added1, token1),
      newTotalAmount0: tokenAmount(total0, token0),
      newTotalAmount1: tokenAmount(total1, token1),
      newTotalValueUsd: sumUsd(valueUsd(total0, token0, price0), valueUsd(total1, token1, price1)),
      notes: [
        ...(planned.notes ?? []),
        ...settled.warnings,
        ...(position.liquidity === 0n ? [wasEmpty] : []),
        ...total.notes,
        ...priceNotes([token0, price0], [token1, price1]),
      ],
    }
  }
  return context.execute(planned.intent, shape, { beside: () => after.look(), begin: reading })
})

/**
 * What the whole position holds after the call, read anew: another call may have changed it while this one waited for its
 * turn. Read once the transaction is mined, so a failure must not lose the result: then it is what was known before, plus
 * what was added, and a note says so.
 */
function totalAfter(before: Position, after: Position | null, added: bigint): Total {
  if (after !== null) return { amount0: after.amount0, amount1: after.amount1, notes: [] }
  const [lower, upper] = [getSqrtPriceAtTick(before.tickLower), getSqrtPriceAtTick(before.tickUpper)]
  const liquidity = before.liquidity + added
  return { ...getAmountsForLiquidity(before.pool.sqrtPriceX96, lower, upper, liquidity, false), notes: [staleTotal] }
}

type Total = Amounts & { readonly notes: readonly string[] }

const wasEmpty =
  'The position held nothing before this call and is open again, in the range it was opened with. add_liquidity opens one in another range.'

const staleTotal =
  'The position could not be read after the transaction: newTotal members are its state before the call plus what was added, at the price before it.'

/**
 * Reads the position as it is after the transaction, beside its receipt where that is mined by then: `null` when the chain does not answer,
 * or answers with a block before the transaction.
 */
function positionAfter(chain: Chain, before: Position, context: WriteContext) {
  const { version, positionId } = before
  const readNow = () => context.liquidity.position(chain, version, positionId, { before }).catch(() => null)
  let seen: Position | null = null
  return {
    async look(): Promise<void> {
      seen = await readNow()
    },
    async read({ main }: Settled): Promise<Position | null> {
      const isAfter = (position: Position | null) => position !== null && position.pool.blockNumber >= main.blockNumber
      const position = isAfter(seen) ? seen : await readNow()
      return isAfter(position) ? position : null
    },
  }
}
