import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import type { AddRequest, KeptDeposit } from '@svc/amm'
import type { WriteContext } from '../tool-context.ts'
import {
  addressInput,
  amountInput,
  amountOf,
  anyVersionInput,
  deadlineInput,
  deadlineOf,
  feeInput,
  feeTiers,
  priceLowerInput,
  priceUpperInput,
  requireDifferentTokens,
  slippageInput,
  tokenInput,
} from './params.ts'
import { rangeContradictions, rangeOf, rangeStrategyInput } from './position-params.ts'

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
