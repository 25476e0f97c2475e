import { fixedPriceOfSqrt } from './fixed-price.ts'
import { poolDepth } from './pool-depth.ts'
import { poolMean } from './pool-mean.ts'
import type { PoolReading } from './pool-reading.ts'
import type { PoolEvidence } from './pool-witness.ts'

/** What a pool's readings come to, but for the worth of its quote token; `null` where no such pool stands or it has no price. */
export function poolEvidence(reading: PoolReading): Omit<PoolEvidence, 'quote'> | null {
  const { row, side, now } = reading
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
  return { row, mean, spot, depth: depthOf(stood.liquidity), leastDepth: depthOf(stood.leastLiquidity) }
}
