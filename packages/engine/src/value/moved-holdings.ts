import type { CallBounds } from './call-bounds.ts'
import { heldOf, type Moved } from './moved.ts'
import type { OrderBounds } from './trade-bounds.ts'
import { depositOutcomes, simulatedDeposit } from './simulated-deposit.ts'
import type { RangePosition, TrustedPrices } from './trusted-value.ts'
import type { MovedOutcomes, Outcome } from './weigh-change.ts'

/**
 * What leaves a wallet and what arrives: of the whole intent as simulated, and of each AMM call as its calldata permits. A trade
 * may take its maximum and bring no more than its minimum; a deposit is made at the price of its pool, or at either end of the
 * prices at which it may still be mined. Each call is taken by itself there: a later one may never happen, and what positions
 * pay out beside a deposit was the owner's already. An order, which is sold over time, counts as if all of it were sold at once.
 */
export function outcomesOf(moved: Moved, prices: TrustedPrices): MovedOutcomes {
  return {
    whole: simulatedOutcome(moved),
    calls: moved.calls
      .filter(({ trades, deposits, orders }) => trades.length + deposits.length + orders.length > 0)
      .map((bounds) => {
        return {
          feeBps: bounds.feeBps,
          outcomes: [
            ...tradeOutcomes(bounds, moved),
            ...depositOutcomes(bounds, moved, prices),
            ...orderOutcomes(bounds, moved),
          ],
        }
      }),
  }
}

function tradeOutcomes({ trades, pays, brings }: CallBounds, moved: Moved): readonly Outcome[] {
  if (trades.length === 0) return []
  return [{ leaves: heldOf(pays, moved), arrives: heldOf(brings, moved) }]
}

function orderOutcomes({ orders }: CallBounds, moved: Moved): readonly Outcome[] {
  return orders.map((order) => ({
    leaves: heldOf(new Map([[order.tokenIn, order.amountIn]]), moved),
    arrives: heldOf(new Map([[order.tokenOut, proceedsOf(order, moved)]]), moved),
  }))
}

/** Nothing where the pool cannot take it, or it was not asked. */
function proceedsOf(order: OrderBounds, { inspected }: Moved): bigint {
  return inspected.orders.find((one) => one.order === order)?.brings ?? 0n
}

function simulatedOutcome(moved: Moved): Outcome {
  const gone = new Map([...moved.deltas].flatMap(([key, delta]) => (delta < 0n ? [[key, -delta] as const] : [])))
  const come = new Map([...moved.deltas].filter(([, delta]) => delta > 0n))
  const ordered = moved.calls.flatMap(({ orders }) =>
    orders.map((one) => [one.tokenOut, proceedsOf(one, moved)] as const),
  )
  for (const [key, amount] of [...moved.paid, ...ordered]) come.set(key, (come.get(key) ?? 0n) + amount)
  return {
    leaves: { ...heldOf(gone, moved), positions: changedPositions(moved, -1n) },
    arrives: { ...heldOf(come, moved), positions: [...mintedPositions(moved), ...changedPositions(moved, 1n)] },
  }
}

function mintedPositions(moved: Moved): readonly RangePosition[] {
  const deposits = moved.calls.flatMap((call) => call.deposits)
  return deposits.flatMap((bounds): readonly RangePosition[] => {
    const { position, atPrice } = simulatedDeposit(bounds, moved)
    if (bounds.positionId !== null || position === null || atPrice === null) return []
    return [{ ...position, liquidity: atPrice.liquidity }]
  })
}

/** What was added to positions, or taken out of them, on balance: once, however many parts name them. */
function changedPositions({ inspected }: Moved, sign: 1n | -1n): readonly RangePosition[] {
  return inspected.positions.flatMap(({ pool, tickLower, tickUpper, liquidityBefore, liquidityAfter }) => {
    const liquidity = (liquidityAfter - liquidityBefore) * sign
    const { token0, token1 } = pool
    return liquidity <= 0n ? [] : [{ token0, token1, tickLower, tickUpper, liquidity }]
  })
}
