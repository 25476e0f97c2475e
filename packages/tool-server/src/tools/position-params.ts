import * as z from 'zod'
import {
  deadlineInput,
  rangedVersionInput,
  slippageInput,
  priceLowerInput,
  priceUpperInput,
  rangeContradictions,
  rangeOf,
  rangeStrategyInput,
  tokenInput,
} from './params.ts'
import type { AddRequest } from '@svc/amm'

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
