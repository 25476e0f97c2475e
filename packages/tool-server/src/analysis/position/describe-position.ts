import { formatAmount, fullRangeTicks, priceFromSqrtPrice, priceFromTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { PairShare, Position } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import { sumUsd, valueUsd } from '../value-usd.ts'

/**
 * A position in human units, in the pool's own token order: what the liquidity would pay out now, the fees that wait, the
 * range in prices (token1 per token0) and how far the price is from its ends in percent of the price (negative: passed;
 * null where the range has no such end). A v2 share has no range, and its fees are part of its amounts. A closed position, of
 * which all liquidity was taken out, is in range at no price. Dollars are null without a trustworthy price.
 */
export async function describePosition(
  ports: Pick<Ports, 'prices'>,
  chain: Chain,
  position: Position | PairShare,
): Promise<PositionReport> {
  const { pool } = position
  const [price0, price1] = await Promise.all([
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const value = (amount0: bigint, amount1: bigint) =>
    sumUsd(valueUsd(amount0, pool.token0, price0), valueUsd(amount1, pool.token1, price1))
  const fees = position.version === 'v2' ? { fees0: 0n, fees1: 0n } : position
  return {
    positionId: position.positionId,
    version: position.version,
    owner: position.owner,
    pool: { poolAddress: pool.id, token0: pool.token0.address, token1: pool.token1.address, fee: pool.fee },
    token0Symbol: pool.token0.symbol,
    token1Symbol: pool.token1.symbol,
    ...rangeOf(position),
    liquidityRaw: String(position.version === 'v2' ? position.shares : position.liquidity),
    amount0: formatAmount(position.amount0, pool.token0.decimals),
    amount1: formatAmount(position.amount1, pool.token1.decimals),
    feesOwed0: formatAmount(fees.fees0, pool.token0.decimals),
    feesOwed1: formatAmount(fees.fees1, pool.token1.decimals),
    valueUsd: value(position.amount0, position.amount1),
    feesUsd: value(fees.fees0, fees.fees1),
  }
}

export type PositionReport = Range & {
  readonly positionId: string
  readonly version: 'v2' | 'v3' | 'v4'
  readonly owner: string
  readonly pool: {
    readonly poolAddress: string
    readonly token0: string
    readonly token1: string
    readonly fee: number
  }
  readonly token0Symbol: string
  readonly token1Symbol: string
  readonly liquidityRaw: string
  readonly amount0: string
  readonly amount1: string
  readonly feesOwed0: string
  readonly feesOwed1: string
  readonly valueUsd: number | null
  readonly feesUsd: number | null
}

type Range = {
  readonly tickLower: number | null
  readonly tickUpper: number | null
  readonly priceLower: number | null
  readonly priceUpper: number | null
  readonly currentPrice: number
  readonly inRange: boolean
  readonly isClosed: boolean
  readonly distanceToLowerPct: number | null
  readonly distanceToUpperPct: number | null
}

function rangeOf(position: Position | PairShare): Range {
  const { token0, token1, sqrtPriceX96 } = position.pool
  const currentPrice = priceFromSqrtPrice(sqrtPriceX96, token0.decimals, token1.decimals)
  if (position.version === 'v2') {
    return { ...noTicks, currentPrice, inRange: true, isClosed: position.shares === 0n }
  }
  const { tickLower, tickUpper } = position
  const widest = fullRangeTicks(position.pool.tickSpacing ?? 1)
  const priceAt = (tick: number) => priceFromTick(tick, token0.decimals, token1.decimals)
  const priceLower = tickLower <= widest.tickLower ? null : priceAt(tickLower)
  const priceUpper = tickUpper >= widest.tickUpper ? null : priceAt(tickUpper)
  return {
    tickLower,
    tickUpper,
    priceLower,
    priceUpper,
    currentPrice,
    inRange: isInRange(position),
    isClosed: position.liquidity === 0n,
    distanceToLowerPct: priceLower === null ? null : percent(currentPrice - priceLower, currentPrice),
    distanceToUpperPct: priceUpper === null ? null : percent(priceUpper - currentPrice, currentPrice),
  }
}

/** Whether the position earns at the pool's price; a closed one does nowhere. */
export function isInRange({ liquidity, tickLower, tickUpper, pool }: Position): boolean {
  return liquidity > 0n && tickLower <= pool.tick && pool.tick < tickUpper
}

const noTicks = {
  tickLower: null,
  tickUpper: null,
  priceLower: null,
  priceUpper: null,
  distanceToLowerPct: null,
  distanceToUpperPct: null,
} as const

function percent(part: number, whole: number): number {
  return Math.round((part / whole) * 1e6) / 1e4
}
