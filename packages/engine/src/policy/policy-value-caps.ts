import { type Policy, usdMicros } from './policy.ts'
import type { budgetNames } from '../value/budget-names.ts'

/**
 * The budgets of value of any 24 hours, in millionths of a US dollar: what may be lost, speculated with, spent at current
 * prices alone, and moved of tokens that pools alone price. The last is by default the sum at which prices that are wrong by
 * `maxPriceBandBps` lose as much as a day may lose.
 */
export function dailyValueCaps(policy: Policy): DailyValueCaps {
  const daily = usdMicros(policy.limitsUsd.daily)
  const { maxDailyLossUsd, maxPriceBandBps, speculativeUsd, coldStartUsd, poolPricedUsd } = policy
  const isStrict = policy.allowlist.mode === 'strict'
  const loss = maxDailyLossUsd === undefined ? daily / 50n : usdMicros(maxDailyLossUsd)
  const lostByBand = (loss * 10_000n) / BigInt(Math.max(maxPriceBandBps, 1))
  return {
    loss,
    speculative: speculativeUsd === undefined ? (isStrict ? 0n : daily / 10n) : usdMicros(speculativeUsd),
    coldStart: coldStartUsd === undefined ? daily / 10n : usdMicros(coldStartUsd),
    poolPriced: poolPricedUsd === undefined ? (lostByBand < daily ? lostByBand : daily) : usdMicros(poolPricedUsd),
  }
}

export type DailyValueCaps = Readonly<Record<keyof typeof budgetNames, bigint>>
