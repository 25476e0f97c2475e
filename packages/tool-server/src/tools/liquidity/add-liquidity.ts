import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { estimateFeeApy } from '../../analysis/fees/estimate-fee-apy.ts'
import { valueUsd } from '../../analysis/value-usd.ts'
import { withinTime } from '@svc/runtime'
import type { AddPreview, AddRequest, Intent } from '@svc/amm'
import { writeTool, type WriteContext } from '../../tool.ts'
import {
  addressInput,
  amountInput,
  amountOf,
  anyVersionInput,
  chainInput,
  deadlineInput,
  deadlineOf,
  feeInput,
  feeTiers,
  priceLowerInput,
  priceUpperInput,
  rangeContradictions,
  rangeOf,
  rangeStrategyInput,
  requireDifferentTokens,
  slippageInput,
  tokenInput,
} from '../params.ts'
import {
  notesResult,
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

const input = z
  .strictObject({
    token0: tokenInput,
    token1: tokenInput,
    fee: feeInput.optional(),
    amount0: amountInput,
    amount1: amountInput.optional(),
    chain: chainInput,
    version: anyVersionInput.default('v3'),
    priceLower: priceLowerInput.optional(),
    priceUpper: priceUpperInput.optional(),
    rangeStrategy: rangeStrategyInput.optional(),
    hookAddress: addressInput.optional(),
    createPool: z.boolean().optional(),
    slippageBps: slippageInput,
    deadlineSeconds: deadlineInput,
  })
  .superRefine((value, check) => {
    for (const [field, message] of contradictions(value)) check.addIssue({ code: 'custom', path: [field], message })
  })

type Input = z.output<typeof input>

export const addLiquidity = writeTool({
  name: 'add_liquidity',
  title: 'Add liquidity',
  description:
    'Opens a position in a v2, v3 or v4 pool, creating a missing one at the price of the amounts. Prices (token1 per token0) and amounts follow your token order; amount1 is matched when left out. createPool: even without a trusted price. Never takes more than given, but on v4 within the slippage.',
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
    priceLower: z.number(),
    priceUpper: z.number().nullable(),
    currentPrice: z.number(),
    rangeWidth: z.string().describe('Lower to upper, of the price'),
    estimatedFeeApy7d: z.number().nullable().describe('Percent a year'),
    safetyChecks: z.object({
      tokenAllowlistPassed: z.boolean(),
      spendingLimitPassed: z.boolean(),
      simulationPassed: z.boolean(),
    }),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const request = await requestOf(input, chain, context)
  const { token0, token1 } = request
  const [planned, price0, price1] = await Promise.all([
    context.liquidity.planAdd(chain, request),
    context.prices.usd(chain, token0),
    context.prices.usd(chain, token1),
  ])
  const { preview } = planned
  const intent: Intent = input.createPool ? { ...planned.intent, allowsUnpricedPool: true } : planned.intent
  return context.execute(intent, async (settled) => {
    const added = await planned.decode(settled)
    const earning = { ...preview, liquidity: added.liquidity }
    const estimate = estimateFeeApy(context, chain, earning, context.now())
    const apy = await withinTime(estimate, context.figuresWithinMs ?? apyTimeoutMs, apyTooLate)
    return {
      ...writeStamp(chain, intent, settled),
      positionId: added.positionId,
      version: request.version,
      pool: poolSummary(preview.pool, intent.deposits?.[0]?.isInverted),
      ...symbolsOf(token0, token1),
      amount0Deposited: tokenAmount(added.amount0, token0),
      amount1Deposited: tokenAmount(added.amount1, token1),
      amount0DepositedUsd: valueUsd(added.amount0, token0, price0),
      amount1DepositedUsd: valueUsd(added.amount1, token1, price1),
      priceLower: preview.priceLower,
      priceUpper: Number.isFinite(preview.priceUpper) ? preview.priceUpper : null,
      currentPrice: preview.currentPrice,
      rangeWidth: rangeWidth(request, preview),
      estimatedFeeApy7d: apy.apyPct,
      safetyChecks: settled.safetyChecks,
      notes: [...settled.warnings, ...priceNotes([token0, price0], [token1, price1]), ...apy.notes],
    }
  })
})

/** The money has moved by then: the answer does not wait long for a figure beside it. */
const apyTimeoutMs = 5_000
const apyTooLate = { apyPct: null, notes: ['The pool has too many swap logs to estimate estimatedFeeApy7d in time.'] }

/** What contradicts itself within the input: the member and what it accepts. */
function contradictions(value: Input): readonly (readonly [keyof Input, string])[] {
  return value.version === 'v2' ? v2Contradictions(value) : rangedContradictions(value)
}

function v2Contradictions(value: Input): readonly (readonly [keyof Input, string])[] {
  const ranged = (['priceLower', 'priceUpper', 'rangeStrategy', 'hookAddress'] as const).filter(
    (field) => value[field] !== undefined,
  )
  return [
    ...ranged.map((field) => [field, 'Accepted: v3 and v4 only; a v2 position covers every price'] as const),
    ...(isZero(value.amount0) || isZero(value.amount1)
      ? [
          [
            isZero(value.amount0) ? 'amount0' : 'amount1',
            'Accepted: an amount above 0 on both sides of a v2 pair',
          ] as const,
        ]
      : []),
  ]
}

function rangedContradictions(value: Input): readonly (readonly [keyof Input, string])[] {
  const { version, fee, hookAddress } = value
  const found: (readonly [keyof Input, string])[] = []
  if (fee === undefined) found.push(['fee', 'Accepted: 100, 500, 3000 or 10000, required for v3 and v4'])
  else if (version === 'v3' && !isTier(fee)) found.push(['fee', 'Accepted: 100, 500, 3000 or 10000'])
  if (version === 'v3' && hookAddress !== undefined) found.push(['hookAddress', 'Accepted: with version v4 only'])
  found.push(...rangeContradictions(value))
  if (isZero(value.amount0) && (value.amount1 === undefined || isZero(value.amount1))) {
    found.push(['amount0', 'Accepted: an amount above 0, or an amount1 above 0 beside it'])
  }
  return found
}

function isZero(amount: string | undefined): boolean {
  return amount !== undefined && !/[1-9]/.test(amount)
}

function isTier(fee: number): boolean {
  return feeTiers.some((tier) => tier === fee)
}

async function requestOf(input: Input, chain: Chain, context: WriteContext): Promise<AddRequest> {
  const token0 = await context.tokens.resolve(chain, input.token0, 'token0')
  const token1 = await context.tokens.resolve(chain, input.token1, 'token1')
  requireDifferentTokens(chain, token0, token1, 'token1')
  return {
    version: input.version,
    token0,
    token1,
    fee: input.version === 'v2' ? null : (input.fee ?? null),
    hooks: input.hookAddress ?? null,
    amount0: amountOf(input.amount0, token0, 'amount0'),
    amount1: input.amount1 === undefined ? null : amountOf(input.amount1, token1, 'amount1'),
    range: input.version === 'v2' ? null : rangeOf(input),
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    recipient: context.wallet.address,
    kept: context.keptDeposits()[0],
  }
}

/** Full width in percent of the price. */
function rangeWidth(request: AddRequest, preview: AddPreview): string {
  const { range } = request
  if (range === null || range === 'full') return 'full'
  if ('priceUpper' in range && range.priceUpper === Number.POSITIVE_INFINITY) return 'open above'
  return `${(((preview.priceUpper - preview.priceLower) / preview.currentPrice) * 100).toFixed(2)}%`
}
