import type { Bars } from '@svc/lp-math'
import type { Position, PositionEvents } from '@svc/amm'

/**
 * What a position brought against what was paid for it, before gas, in the token of its pool that is pegged to the dollar: both ends
 * at the pool's own price, of the moment of each change and of now, so that a difference between sources is no profit. A change whose
 * price is not known takes that of the end of its bar, and `doubtUsd` is what this may be off at most. Null without a pegged token
 * or without a price.
 */
export function netProfit(facts: {
  readonly position: Position
  readonly events: PositionEvents['events']
  readonly earned: PositionEvents['earned']
  readonly bars: Bars | null
}): { readonly usd: number; readonly doubtUsd: number } | null {
  const { position, events, earned, bars } = facts
  const { token0, token1, sqrtPriceX96 } = position.pool
  if ((!token0.usdPegged && !token1.usdPegged) || earned === null) return null
  const worth = (amount0: bigint, amount1: bigint, price: number) =>
    token1.usdPegged
      ? (Number(amount1) + Number(amount0) * price) / 10 ** token1.decimals
      : (Number(amount0) + Number(amount1) / price) / 10 ** token0.decimals
  const held = [position.amount0 + earned.fees0, position.amount1 + earned.fees1] as const
  let usd = worth(...held, priceOf(sqrtPriceX96))
  let doubtUsd = 0
  for (const { kind, amount0, amount1, timestamp, sqrtPriceX96: then } of events) {
    if (kind === 'collection') continue
    const at = then === null ? barPrices(bars, timestamp) : { price: priceOf(then), others: [] }
    if (at === null) return null
    const own = worth(amount0, amount1, at.price)
    usd += kind === 'deposit' ? -own : own
    doubtUsd += Math.max(0, ...at.others.map((other) => Math.abs(worth(amount0, amount1, other) - own)))
  }
  return { usd, doubtUsd }
}

function priceOf(sqrtPriceX96: bigint): number {
  return (Number(sqrtPriceX96) / 2 ** 96) ** 2
}

/** The price at the end of a bar, and its extremes. */
function barPrices(bars: Bars | null, timestamp: number) {
  if (bars === null) return null
  const index = Math.floor((timestamp - (bars.startsAt[0] ?? 0)) / bars.barSeconds)
  const last = Math.min(index, bars.closeTick.length - 1)
  const [close, low, high] = [bars.closeTick[last], bars.lowTick[last], bars.highTick[last]]
  if (close === undefined || low === undefined || high === undefined) return null
  return { price: 1.0001 ** close, others: [1.0001 ** low, 1.0001 ** high] }
}
