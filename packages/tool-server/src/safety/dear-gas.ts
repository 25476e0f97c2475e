import { zeroAddress } from 'viem'
import { worstGasCost } from './gas.ts'
import type { Policy } from './policy.ts'
import type { Refusal } from './refusal.ts'
import { limitsOf, usdText } from './spend-limit.ts'
import { type PricedTokens, valueOf } from './spend-value.ts'
import type { Fees } from './survey.ts'

/**
 * Refuses transactions whose gas alone could cost more than one transaction may spend: a token that burns gas, or an
 * endpoint that names absurd fees, must not spend what the limits protect. Where native currency has no price, it cannot.
 */
export function dearGas(
  policy: Policy,
  gasUsed: readonly bigint[],
  fees: Fees,
  priced: PricedTokens,
): readonly Refusal[] {
  const { usdMicros } = valueOf(new Map([[zeroAddress, worstGasCost(gasUsed, fees)]]), priced)
  const cap = limitsOf(policy).perTransaction
  if (usdMicros <= cap) return []
  const [capUsd, askedUsd] = [usdText(cap), usdText(usdMicros)]
  const message = `Gas could cost ${askedUsd} USD, above the limit of one transaction, ${capUsd} USD.`
  return [{ code: 'SPENDING_LIMIT_EXCEEDED', message, details: [{ message: 'limit', limit: 'gas', capUsd, askedUsd }] }]
}
