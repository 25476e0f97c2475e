import type { Intent } from '@svc/amm'
import type { Refusal } from '../context/refusal.ts'
import type { PoolAfter } from './inspection.ts'
import type { Moved } from './moved.ts'
import { simulatedDeposit } from './simulated-deposit.ts'
import { trustedSqrtPriceBand, type TrustedPrices } from './trusted-value.ts'
import type { ValueBounds } from './value-bounds.ts'

/**
 * Refuses a deposit into a pool whose price is off the trusted one by more than the policy allows beside the bands of both
 * tokens, a new pool among them: whoever brings it back takes the difference. A new pool of a token without a trusted price
 * is opened only where the caller says so.
 */
export function offMarketRefusals({ moved, prices, limits, intent }: DepositPrices): readonly Refusal[] {
  const deposits = moved.calls.flatMap((call) => call.deposits)
  return deposits.flatMap((bounds): readonly Refusal[] => {
    const { state: pool } = simulatedDeposit(bounds, moved)
    if (pool === null) return []
    const trusted = trustedSqrtPriceBand(pool.token0, pool.token1, prices)
    if (trusted === null) return pool.stoodBefore || intent.allowsUnpricedPool === true ? [] : [refuseOpening()]
    return offMarket(pool, trusted, limits, 'a deposit is made')
  })
}

/** Refuses what is done in a pool whose price is outside the trusted band by more than the policy allows. */
export function offMarket(
  pool: PoolAfter,
  trusted: { readonly low: bigint; readonly high: bigint },
  limits: Pick<ValueBounds, 'maxPoolDeviationBps'>,
  what: string,
): readonly Refusal[] {
  const square = priceSquareOf(pool)
  if (square === null) return []
  const allowed = BigInt(limits.maxPoolDeviationBps)
  const isAbove = square * 10_000n > trusted.high ** 2n * (10_000n + allowed)
  const isBelow = square * (10_000n + allowed) < trusted.low ** 2n * 10_000n
  return isAbove || isBelow ? [refuseOffMarket(pool, square, trusted, { ...limits, what })] : []
}

export type DepositPrices = {
  readonly moved: Moved
  readonly prices: TrustedPrices
  readonly limits: ValueBounds
  readonly intent: Pick<Intent, 'allowsUnpricedPool'>
}

/** The price of token1 per token0 in smallest units, times 2^192. */
function priceSquareOf({ sqrtPriceX96, pair }: PoolAfter): bigint | null {
  if (sqrtPriceX96 !== null) return sqrtPriceX96 ** 2n
  return pair === null || pair.reserve0 === 0n ? null : (pair.reserve1 << 192n) / pair.reserve0
}

function refuseOpening(): Refusal {
  return {
    code: 'POOL_PRICE_OFF_MARKET',
    message:
      'No named source tells what a token of this new pool is worth, so the price it would open at cannot be held against the market.',
    details: [
      { field: 'createPool', message: 'Accepted: true, to open the pool at the price of the amounts all the same' },
    ],
    suggestion: 'Check both amounts and say createPool: true, or use a pool that stands (get_pools_by_token_pair).',
  }
}

function refuseOffMarket(
  pool: PoolAfter,
  square: bigint,
  trusted: { readonly low: bigint; readonly high: bigint },
  { maxPoolDeviationBps, what }: Pick<ValueBounds, 'maxPoolDeviationBps'> & { readonly what: string },
): Refusal {
  const bps = (part: bigint, whole: bigint) => Number((part * 10_000n) / whole) - 10_000
  const isAbove = square > trusted.high ** 2n
  const offBps = isAbove ? bps(square, trusted.high ** 2n) : -bps(trusted.low ** 2n, square)
  const where = isAbove ? 'above' : 'below'
  return {
    code: 'POOL_PRICE_OFF_MARKET',
    message: `The pool stands ${Math.abs(offBps)} bps ${where} the market; ${what} within ${maxPoolDeviationBps} bps of it.`,
    details: [
      {
        message: 'token1 per token0, in the order of the pool',
        pool: pool.id,
        deviationBps: offBps,
        maxPoolDeviationBps,
      },
    ],
  }
}
