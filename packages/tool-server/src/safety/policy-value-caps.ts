import { type Policy, usdMicros } from './policy.ts'

/** What may be lost, speculated with and spent at prices of the moment in any 24 hours, in millionths of a US dollar. */
export function dailyValueCaps(policy: Policy): DailyValueCaps {
  const daily = usdMicros(policy.limitsUsd.daily)
  const { maxDailyLossUsd, speculativeUsd, coldStartUsd } = policy
  const isStrict = policy.allowlist.mode === 'strict'
  return {
    loss: maxDailyLossUsd === undefined ? daily / 50n : usdMicros(maxDailyLossUsd),
    speculative: speculativeUsd === undefined ? (isStrict ? 0n : daily / 10n) : usdMicros(speculativeUsd),
    coldStart: coldStartUsd === undefined ? daily / 10n : usdMicros(coldStartUsd),
  }
}

export type DailyValueCaps = { readonly loss: bigint; readonly speculative: bigint; readonly coldStart: bigint }
