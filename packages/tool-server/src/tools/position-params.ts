import * as z from 'zod'
import {
  deadlineInput,
  infinite,
  rangedVersionInput,
  slippageInput,
  priceLowerInput,
  priceUpperInput,
  tokenInput,
  addressInput,
  amountInput,
  amountOf,
  anyVersionInput,
  deadlineOf,
  feeInput,
  feeTiers,
  requireDifferentTokens,
} from './params.ts'
import type { AddRequest, KeptDeposit } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import type { WriteContext } from '../tool-context.ts'

/** How far a range reaches to each side of the price. The default backtests have a table of their own. */
export const rangeStrategies = {
  full: 'full',
  narrow: { pctEachSide: 5 },
  medium: { pctEachSide: 15 },
  wide: { pctEachSide: 50 },
} as const

const rangeStrategyInput = z
  .enum(['full', 'narrow', 'medium', 'wide'], { error: 'Accepted: full, narrow, medium or wide' })
  .describe('+/-5, 15, 50 %')

type RangeFields = {
  readonly priceLower?: number | null | undefined
  readonly priceUpper?: number | typeof infinite | null | undefined
  readonly rangeStrategy?: keyof typeof rangeStrategies | undefined
}

/** What collecting fees is asked for with, beside position and chain: by itself, and inside a batch. */
export const collectParams = { version: rangedVersionInput.default('v3'), deadlineSeconds: deadlineInput }

/** The same for adding them to the liquidity. */
export const compoundParams = {
  version: rangedVersionInput.default('v3'),
  swapToRatio: z.boolean().default(true).describe('false: add what fits'),
  slippageBps: slippageInput,
  deadlineSeconds: deadlineInput,
}

/** What a move into another range is asked for with, beside position and chain: by itself, and inside a batch. */
export const moveParams = {
  token0: tokenInput.optional(),
  priceLower: priceLowerInput.optional(),
  priceUpper: priceUpperInput.optional(),
  rangeStrategy: rangeStrategyInput.optional().describe('Else medium'),
  version: rangedVersionInput.default('v3'),
  swapToRatio: z.boolean().default(true),
  slippageBps: slippageInput,
  deadlineSeconds: deadlineInput,
}

/** What contradicts itself in the range: the member and what it accepts. */
export function moveContradictions(range: RangeInput): ReturnType<typeof rangeContradictions> {
  return rangeContradictions(withStrategy(range))
}

/** The range that is moved into, in the caller's order and price. */
export function moveRangeOf(range: RangeInput): AddRequest['range'] {
  return rangeOf(withStrategy(range))
}

type RangeInput = Parameters<typeof rangeContradictions>[0]

/** Neither ends nor a strategy: the default of the latter. */
function withStrategy({ priceLower, priceUpper, rangeStrategy }: RangeInput): RangeInput {
  const isOpen = priceLower === undefined && priceUpper === undefined && rangeStrategy === undefined
  return { priceLower, priceUpper, rangeStrategy: isOpen ? 'medium' : rangeStrategy }
}

/** What contradicts itself in a range: the member and what it accepts. A range is asked for by both ends or by a strategy. */
function rangeContradictions(range: RangeFields): readonly (readonly [keyof RangeFields, string])[] {
  const { priceLower, priceUpper, rangeStrategy } = range
  const missing = priceLower === undefined ? 'priceLower' : priceUpper === undefined ? 'priceUpper' : null
  if (rangeStrategy !== undefined) {
    if ((priceLower ?? null) === null && (priceUpper ?? null) === null) return []
    return [['rangeStrategy', 'Accepted: either rangeStrategy, or priceLower and priceUpper']]
  }
  if (missing !== null) return [[missing, 'Accepted: a price beside the other, or rangeStrategy instead of both']]
  // Two nulls may be two that were left out.
  if (priceLower === null && priceUpper === null)
    return [['rangeStrategy', 'Accepted: full, in place of two ends that are null']]
  if ((priceLower ?? 0) < upperOf(priceUpper ?? infinite)) return []
  return [['priceLower', 'Accepted: a price below priceUpper']]
}

/** `null` where neither ends nor a strategy are given. */
export function rangeOf({ priceLower, priceUpper, rangeStrategy }: RangeFields): AddRequest['range'] {
  if (rangeStrategy !== undefined) return rangeStrategies[rangeStrategy]
  if (priceLower === undefined || priceUpper === undefined) return null
  const [lower, upper] = [priceLower ?? 0, upperOf(priceUpper ?? infinite)]
  return lower === 0 && upper === Number.POSITIVE_INFINITY ? 'full' : { priceLower: lower, priceUpper: upper }
}

function upperOf(upper: number | typeof infinite): number {
  return upper === infinite ? Number.POSITIVE_INFINITY : upper
}

/** What a new position is asked for with, beside its chain: by itself, and inside a batch. */
export const addParams = {
  token0: tokenInput,
  token1: tokenInput,
  fee: feeInput.optional(),
  amount0: amountInput,
  amount1: amountInput.optional(),
  version: anyVersionInput.default('v3'),
  priceLower: priceLowerInput.optional().meta({ description: '0: no end' }),
  priceUpper: priceUpperInput.optional(),
  rangeStrategy: rangeStrategyInput.optional().describe('v3, v4 (or prices): +/-5, 15, 50 %'),
  hookAddress: addressInput.optional(),
  createPool: z.boolean().optional(),
  slippageBps: slippageInput,
  deadlineSeconds: deadlineInput,
}

export type AddParams = z.output<z.ZodObject<typeof addParams>>

/** What is wanted, with its tokens looked up. Throws `VALIDATION_FAILED` naming the field, `TOKEN_NOT_FOUND`. */
export async function addRequestOf(
  input: AddParams,
  chain: Chain,
  context: AddContext,
  kept: KeptDeposit | undefined,
): Promise<AddRequest> {
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
    kept,
  }
}

type AddContext = Pick<WriteContext, 'tokens' | 'wallet' | 'defaults' | 'now'>

/** What contradicts itself within the input: the member and what it accepts. */
export function addContradictions(value: AddParams): readonly (readonly [keyof AddParams, string])[] {
  return value.version === 'v2' ? v2Contradictions(value) : rangedContradictions(value)
}

function v2Contradictions(value: AddParams): readonly (readonly [keyof AddParams, string])[] {
  const ranged = (['priceLower', 'priceUpper', 'rangeStrategy', 'hookAddress'] as const).filter(
    (field) => (value[field] ?? null) !== null,
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

function rangedContradictions(value: AddParams): readonly (readonly [keyof AddParams, string])[] {
  const { version, fee, hookAddress } = value
  const found: (readonly [keyof AddParams, string])[] = []
  if (fee === undefined) found.push(['fee', 'Accepted: 100, 500 (0.05 %), 3000 or 10000, required for v3 and v4'])
  else if (version === 'v3' && Number.isInteger(fee) && !isTier(fee)) {
    found.push(['fee', 'Accepted: 100, 500 (0.05 %), 3000 or 10000'])
  }
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
