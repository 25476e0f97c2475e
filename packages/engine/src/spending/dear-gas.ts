import { formatEther, zeroAddress } from 'viem'
import { unpricedGasCapWei, worstGasCost } from './gas.ts'
import { mayPass } from '@svc/amm'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../context/refusal.ts'
import { limitsOf } from './spend-limit.ts'
import { usdText } from './usd-text.ts'
import { type PricedTokens, type Unpriced, valueOf } from './spend-value.ts'
import type { Fees } from '../allowances/survey.ts'

/**
 * Refuses transactions whose gas alone could cost more than one transaction may spend: a token that burns gas, or an
 * endpoint that names absurd fees, must not spend what the limits protect. What brings funds home may cost what a day's gas
 * may, where that is more. Where native currency has no price
 * that limits may count with, a strict policy refuses, and a lenient one allows a small fixed sum; so do both for what brings
 * funds home.
 */
export function dearGas(
  policy: Policy,
  gasUsed: readonly bigint[],
  fees: Fees,
  priced: PricedTokens,
  isExit: boolean,
): readonly Refusal[] {
  const worstWei = worstGasCost(gasUsed, fees)
  const { usdMicros, unpriced } = valueOf(new Map([[zeroAddress, worstWei]]), priced)
  if (unpriced.length > 0) return unpricedGas(isExit ? 'lenient' : policy.allowlist.mode, worstWei, unpriced)
  const { perTransaction, dailyGas } = limitsOf(policy)
  const cap = isExit && dailyGas > perTransaction ? dailyGas : perTransaction
  if (usdMicros <= cap) return []
  const [capUsd, askedUsd] = [usdText(cap), usdText(usdMicros)]
  const message = `Gas could cost ${askedUsd} USD, above the most of one transaction, ${capUsd} USD.`
  return [{ code: 'SPENDING_LIMIT_EXCEEDED', message, details: [{ message: 'limit', limit: 'gas', capUsd, askedUsd }] }]
}

function unpricedGas(
  mode: Policy['allowlist']['mode'],
  worstWei: bigint,
  unpriced: readonly Unpriced[],
): readonly Refusal[] {
  if (mode === 'strict') {
    const message = 'Native currency has no price to count with, so what gas could cost cannot be held to a limit.'
    const details = [{ message: 'limit', limit: 'gas', token: zeroAddress }]
    return [{ code: 'PRICE_UNAVAILABLE', message, details, retryable: unpriced.every(({ doubt }) => mayPass(doubt)) }]
  }
  if (worstWei <= unpricedGasCapWei) return []
  const [cap, asked] = [formatEther(unpricedGasCapWei), formatEther(worstWei)]
  const message = `Gas could cost ${asked} of native currency, which has no price now; ${cap} is allowed without one.`
  return [{ code: 'SPENDING_LIMIT_EXCEEDED', message, details: [{ message: 'limit', limit: 'gas', cap, asked }] }]
}
