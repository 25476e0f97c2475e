import { tickSpacingForFee } from '@svc/lp-math'
import { zeroAddress, type Address } from 'viem'
import type { PoolKey } from './pool-key.ts'

/** The keys under which a v4 pool of two sorted currencies is looked for: customary fees and spacings, no hooks. */
export function standardKeys(currency0: Address, currency1: Address): readonly PoolKey[] {
  return customaryFees.map((fee) => ({
    currency0,
    currency1,
    fee,
    tickSpacing: tickSpacingForFee(fee),
    hooks: zeroAddress,
  }))
}

/** The fees of the spec, in hundredths of a basis point. */
const customaryFees = [100, 500, 3_000, 10_000] as const
