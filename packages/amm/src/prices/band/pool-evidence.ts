import { fixedPriceOfSqrt, type PriceSide } from './fixed-price.ts'
import { poolDepth } from './pool-depth.ts'
import type { SeenBand } from './jump-bound.ts'
import { longestMeanSeconds, poolMean } from './pool-mean.ts'
import type { PoolReading, PoolSnapshot } from './pool-reading.ts'
import type { PoolEvidence } from './pool-witness.ts'

/** What a pool's readings come to, but for the worth of its quote token; `null` where no such pool stands or it has no price. */
export function poolEvidence(reading: PoolReading): Omit<PoolEvidence, 'quote'> | null {
  const { row, side, now, older } = reading
  if (now === null) return null
  const mean = poolMean(reading)
  const spot = fixedPriceOfSqrt(now.sqrtPriceX96, side)
  const spotE18 = spot.highE18
  const { liquidity } = now
  const { midE18, ...stood } = mean ?? { midE18: spotE18, liquidity, leastLiquidity: liquidity }
  const depthOf = (inRange: bigint) => {
    const over = { priceE18: midE18, spotE18, sqrtPriceX96: now.sqrtPriceX96, liquidity: inRange }
    return poolDepth(reading, over)
  }
  const before = older
    .filter(({ atSeconds }) => now.atSeconds - atSeconds > longestMeanSeconds)
    .map((moment) => seenAt(moment, side))
  return { row, mean, spot, depth: depthOf(stood.liquidity), leastDepth: depthOf(stood.leastLiquidity), before }
}

function seenAt({ sqrtPriceX96, atSeconds }: PoolSnapshot, side: PriceSide): SeenBand {
  const range = fixedPriceOfSqrt(sqrtPriceX96, side)
  return { ...range, midE18: range.highE18, atSeconds }
}
