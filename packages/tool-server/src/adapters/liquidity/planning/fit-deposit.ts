import { type Amounts, getSqrtPriceAtTick, type TickRange } from '@svc/lp-math'
import type { AddPreview, AddRequest, Pool } from '../../../ports.ts'
import { callerFields } from './caller-fields.ts'
import { callerPrice } from './caller-price.ts'
import { fitAmounts } from './fit-amounts.ts'
import { flip } from './flip.ts'
import type { OrderedPair } from './order-pair.ts'
import type { PaidSide } from './plan-payment.ts'
import { previewAdd } from './preview-add.ts'
import { resolveRange } from './resolve-range.ts'
import { sidesOf } from './sides-of.ts'

/**
 * What a request to deposit into a v3 or v4 pool comes to at the pool's state: ticks, liquidity and amounts in the pool's
 * order, and the preview in the caller's.
 *
 * @throws ToolError as `resolveRange` and `fitAmounts` do.
 */
export function fitDeposit(
  request: AddRequest,
  pair: OrderedPair,
  target: { readonly pool: Pool; readonly createsPool: boolean },
): FittedDeposit {
  const { pool, createsPool } = target
  const { inverted } = pair
  const ticks = resolveRange({
    range: request.range,
    tickSpacing: pool.tickSpacing ?? 1,
    inverted,
    currentPrice: callerPrice(pool, inverted),
    decimals0: request.token0.decimals,
    decimals1: request.token1.decimals,
  })
  const bounds = {
    sqrtPriceX96: pool.sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(ticks.tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(ticks.tickUpper),
  }
  const fitted = fitAmounts({ ...bounds, ...flip<bigint | null>(inverted, request), fields: callerFields(inverted) })
  return {
    ticks,
    bounds,
    fitted,
    sides: sidesOf(pair.paid0, pair.paid1, fitted),
    preview: previewAdd({ pool, createsPool, inverted, ticks, ...fitted }),
  }
}

export type FittedDeposit = {
  readonly ticks: TickRange
  /** The pool's price and the range's bounds, as lp-math's slippage functions take them. */
  readonly bounds: { sqrtPriceX96: bigint; sqrtPriceAX96: bigint; sqrtPriceBX96: bigint }
  readonly fitted: Amounts & { liquidity: bigint }
  /** What the wallet pays, in the pool's order. */
  readonly sides: readonly [PaidSide, PaidSide]
  readonly preview: AddPreview
}
