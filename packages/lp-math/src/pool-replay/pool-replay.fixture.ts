import * as fc from 'fast-check'
import { feeTiers } from '../pool.fixture.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice } from '../ticks/ticks.ts'
import { getAmountsForLiquidity } from '../liquidity/liquidity.ts'
import { upToBits } from '../v3-sdk.fixture.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import type { PoolEvent } from './pool-event.ts'
import type { SwapOrder } from './plan-swap.ts'
import { createPoolState, type PoolState } from './pool-state.ts'

export const start = 1_700_000_000

/** A pool at a price, and what was minted into it at once, by its events. */
export function openPool(options: {
  feePips: number
  tickSpacing: number
  sqrtPriceX96: bigint
  feeProtocol?: readonly [number, number]
  mints: readonly { tickLower: number; tickUpper: number; amount: bigint }[]
}): PoolState {
  const { sqrtPriceX96, feePips, tickSpacing } = options
  const state = createPoolState({ feePips, tickSpacing })
  const apply = (event: PoolEvent) => applyPoolEvent(state, event)
  const args = { sqrtPriceX96, tick: getTickAtSqrtPrice(sqrtPriceX96) }
  apply({ eventName: 'Initialize', args, timestamp: start })
  const [feeProtocol0New, feeProtocol1New] = options.feeProtocol ?? [0, 0]
  apply({ eventName: 'SetFeeProtocol', args: { feeProtocol0New, feeProtocol1New }, timestamp: start })
  for (const mint of options.mints) apply(mintEvent(state, mint))
  return state
}

/** The Mint event of a liquidity at the price the pool has. */
export function mintEvent(state: PoolState, mint: { tickLower: number; tickUpper: number; amount: bigint }) {
  const bounds = [getSqrtPriceAtTick(mint.tickLower), getSqrtPriceAtTick(mint.tickUpper)] as const
  const amounts = getAmountsForLiquidity(state.sqrtPriceX96, ...bounds, mint.amount, true)
  return { eventName: 'Mint', args: { owner: '0xA', ...mint, ...amounts }, timestamp: start } as const
}

/** Pools of every tier, from a liquidity of 1 up, with positions around the price, some with gaps between them. */
export const anyReplayPool = fc
  .record({
    tier: fc.constantFrom(...feeTiers),
    tick: fc.oneof(fc.integer({ min: -800_000, max: 800_000 }), fc.integer({ min: -300, max: 300 })),
    between: fc.integer({ min: 0, max: 3 }),
    feeProtocol: fc.tuple(fc.constantFrom(0, 4, 7), fc.constantFrom(0, 5, 10)),
    mints: fc.array(
      fc.record({
        offset: fc.integer({ min: -300, max: 300 }),
        width: fc.integer({ min: 1, max: 200 }),
        amount: upToBits(90).map((value) => value + 1n),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ tier: [feePips, tickSpacing], tick, between, feeProtocol, mints }) => {
    const low = getSqrtPriceAtTick(tick)
    const sqrtPriceX96 = low + ((getSqrtPriceAtTick(tick + 1) - low) * BigInt(between)) / 4n
    const centre = Math.round(tick / tickSpacing)
    const placed = mints.map(({ offset, width, amount }) => {
      const from = Math.max(Math.ceil(-887_272 / tickSpacing), centre + offset)
      const to = Math.min(Math.floor(887_272 / tickSpacing), from + width)
      return { tickLower: from * tickSpacing, tickUpper: to * tickSpacing, amount }
    })
    const distinct = placed.filter(({ tickLower, tickUpper }) => tickLower < tickUpper)
    return openPool({ feePips, tickSpacing, sqrtPriceX96, feeProtocol, mints: distinct })
  })

/** Orders of every kind; a `limit` is some ticks from the price, and often stands on a tick of the spacing. */
export const anyOrder = fc.record({
  zeroForOne: fc.boolean(),
  exactIn: fc.boolean(),
  amountSpecified: fc.oneof(upToBits(110), fc.bigInt({ min: 0n, max: 4n })).map((value) => value + 1n),
  limit: fc.option(
    fc.record({
      ticks: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40_000 })),
      onSpacing: fc.boolean(),
    }),
  ),
  elapsed: fc.constantFrom(0, 0, 1, 12, 86_400),
})

export function toOrder(state: PoolState, drawn: typeof anyOrder extends fc.Arbitrary<infer T> ? T : never): SwapOrder {
  const { zeroForOne, exactIn, amountSpecified, limit, elapsed } = drawn
  const last = state.observations[state.observationIndex]!.blockTimestamp
  const order = { zeroForOne, exactIn, amountSpecified, timestamp: last + elapsed }
  if (limit === null) return order
  const sqrtPriceLimitX96 = limitPrice(state, zeroForOne, limit.ticks, limit.onSpacing)
  return sqrtPriceLimitX96 === null ? order : { ...order, sqrtPriceLimitX96 }
}

function limitPrice(state: PoolState, zeroForOne: boolean, ticks: number, onSpacing: boolean): bigint | null {
  const away = state.tick + (zeroForOne ? -ticks : ticks)
  const tick = onSpacing ? Math.round(away / state.tickSpacing) * state.tickSpacing : away
  if (tick <= -887_272 || tick >= 887_272) return null
  const price = getSqrtPriceAtTick(tick)
  return (zeroForOne ? price < state.sqrtPriceX96 : price > state.sqrtPriceX96) ? price : null
}
