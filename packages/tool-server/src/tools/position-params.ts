import * as z from 'zod'
import {
  deadlineInput,
  infinite,
  rangedVersionInput,
  slippageInput,
  priceLowerInput,
  priceUpperInput,
  tokenInput,
} from './params.ts'
import type { AddRequest } from '@svc/amm'

/** How far a range reaches to each side of the price. The default backtests have a table of their own. */
export const rangeStrategies = {
  full: 'full',
  narrow: { pctEachSide: 5 },
  medium: { pctEachSide: 15 },
  wide: { pctEachSide: 50 },
} as const

export const rangeStrategyInput = z
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
export function rangeContradictions(range: RangeFields): readonly (readonly [keyof RangeFields, string])[] {
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
