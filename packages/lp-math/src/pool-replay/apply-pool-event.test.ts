import { describe, expect, test } from 'vitest'
import { getSqrtPriceAtTick } from '../ticks/get-sqrt-price-at-tick.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import { createPoolState } from './create-pool-state.ts'
import type { PoolEvent } from './pool-event.ts'
import { mintEvent, openPool, start } from './pool-replay.fixture.ts'
import { positionKey } from './position-key.ts'
import { swapInPool } from './swap-in-pool.ts'

const range = { tickLower: -60, tickUpper: 60 }
const owner = '0xA'
const nothing = { amount0: 0n, amount1: 0n }

function pool() {
  const mints = [
    { ...range, amount: 10n ** 18n },
    { tickLower: -600, tickUpper: 600, amount: 10n ** 17n },
  ]
  return openPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: 2n ** 96n, feeProtocol: [4, 10], mints })
}

describe('what cannot have happened is refused and changes nothing', () => {
  const swapped = swapInPool(pool(), { zeroForOne: true, exactIn: true, amountSpecified: 10n ** 15n, timestamp: start })
  const swap = { eventName: 'Swap', ...swapped, timestamp: start } as const
  const burn = { eventName: 'Burn', owner, ...range, amount: 0n, ...nothing, timestamp: start } as const
  const mint = { ...mintEvent(pool(), { ...range, amount: 5n }), timestamp: start }
  const cases: readonly (readonly [what: string, code: string, event: PoolEvent])[] = [
    ['a second Initialize', 'POOL_EVENTS_INCONSISTENT', { ...initialize(2n ** 96n, 0), timestamp: start }],
    ['a swap of a little more in', 'SWAP_LOGS_INCONSISTENT', { ...swap, amount0: swap.amount0 + 4n }],
    ['a swap of one unit more out', 'SWAP_LOGS_INCONSISTENT', { ...swap, amount1: swap.amount1 - 1n }],
    ['another tick', 'SWAP_LOGS_INCONSISTENT', { ...swap, tick: swap.tick + 1 }],
    ['another liquidity', 'SWAP_LOGS_INCONSISTENT', { ...swap, liquidity: swap.liquidity + 1n }],
    ['another price', 'SWAP_LOGS_INCONSISTENT', { ...swap, sqrtPriceX96: swap.sqrtPriceX96 - 1n }],
    ['a price no pool has', 'SWAP_LOGS_INCONSISTENT', { ...swap, sqrtPriceX96: 1n }],
    ['a swap seen from the trader', 'SWAP_LOGS_INCONSISTENT', { ...swap, amount0: -swap.amount0, amount1: 1n }],
    ['a swap of nothing', 'SWAP_LOGS_INCONSISTENT', { ...swap, ...nothing, sqrtPriceX96: 2n ** 96n, tick: 0 }],
    ['a mint of other amounts', 'POOL_EVENTS_INCONSISTENT', { ...mint, amount0: mint.amount0 + 1n }],
    ['a mint of nothing', 'POOL_EVENTS_INCONSISTENT', { ...mint, amount: 0n, ...nothing }],
    ['a mint off the spacing', 'POOL_EVENTS_INCONSISTENT', { ...mint, tickLower: -59 }],
    ['a range turned round', 'POOL_EVENTS_INCONSISTENT', { ...mint, tickLower: 60, tickUpper: -60 }],
    ['a range beyond the ticks', 'TICK_OUT_OF_RANGE', { ...mint, tickUpper: 887_280 }],
    ['more than a tick holds', 'LIQUIDITY_OUT_OF_RANGE', tooMuch()],
    ['a burn of another position', 'POOL_EVENTS_INCONSISTENT', { ...burn, owner: '0xB' }],
    ['a burn of a negative liquidity', 'LIQUIDITY_OUT_OF_RANGE', { ...burn, amount: -1n }],
    ['a collect of what is not owed', 'POOL_EVENTS_INCONSISTENT', { ...burn, eventName: 'Collect', amount0: 1n }],
    ['a protocol collect of what is not owed', 'POOL_EVENTS_INCONSISTENT', protocol(1n)],
    ['a protocol fee no factory sets', 'POOL_EVENTS_INCONSISTENT', feeProtocol(3)],
    ['a flash loan paid back short', 'POOL_EVENTS_INCONSISTENT', { ...protocol(0n), ...flashOf(-1n) }],
    ['an oracle grown from another size', 'POOL_EVENTS_INCONSISTENT', grown(2, 5)],
    ['an oracle that shrinks', 'POOL_EVENTS_INCONSISTENT', grown(1, 1)],
    ['a time before the last', 'POOL_EVENTS_INCONSISTENT', { ...burn, timestamp: start - 1 }],
    ['a time that is none', 'POOL_EVENTS_INCONSISTENT', { ...burn, timestamp: 1.5 }],
  ]
  test.each(cases)('%s', (_, code, event) => {
    const state = pool()
    expect(() => applyPoolEvent(state, event)).toThrow(expect.objectContaining({ code }))
    expect(state).toEqual(pool())
  })

  test('anything before Initialize, and an Initialize whose tick is not that of its price', () => {
    const state = createPoolState({ feePips: 500, tickSpacing: 10 })
    const code = 'POOL_EVENTS_INCONSISTENT'
    expect(() => applyPoolEvent(state, burn)).toThrow(expect.objectContaining({ code }))
    expect(() => applyPoolEvent(state, { ...initialize(2n ** 96n, 1), timestamp: start })).toThrow(
      expect.objectContaining({ code }),
    )
    expect(() => applyPoolEvent(state, { ...initialize(1n, 0), timestamp: start })).toThrow(
      expect.objectContaining({ code: 'SQRT_PRICE_OUT_OF_RANGE' }),
    )
    expect(state).toEqual(createPoolState({ feePips: 500, tickSpacing: 10 }))
  })

  test('a pool of an impossible fee or spacing', () => {
    const create = (feePips: number, tickSpacing: number) => () => createPoolState({ feePips, tickSpacing })
    expect(create(1_000_000, 1)).toThrow(expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }))
    expect(create(0.5, 1)).toThrow(expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }))
    expect(create(500, 0)).toThrow(expect.objectContaining({ code: 'TICK_SPACING_OUT_OF_RANGE' }))
  })
})

describe('the books', () => {
  test('fee growth wraps at 2^256, and a position is owed what grew across the wrap', () => {
    const mints = [{ ...range, amount: 1n }]
    const state = openPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: 2n ** 96n, mints })
    const flash = (paid0: bigint) =>
      applyPoolEvent(state, { eventName: 'Flash', ...nothing, paid0, paid1: 0n, timestamp: start })
    const poke = () =>
      applyPoolEvent(state, { eventName: 'Burn', owner, ...range, amount: 0n, ...nothing, timestamp: start })
    flash(2n ** 128n - 5n)
    poke()
    flash(7n)
    poke()
    expect(state.feeGrowthGlobal0X128).toBe(2n << 128n)
    // 128 bits of tokens owed wrap as well.
    expect(state.positions.get(positionKey({ owner, ...range }))?.tokensOwed0).toBe(2n)
  })

  test('a swap that ends on a tick has crossed it, and what is left over is the fee of the next stretch', () => {
    const state = pool()
    const sqrtPriceLimitX96 = getSqrtPriceAtTick(-60)
    const order = { zeroForOne: true, exactIn: true, timestamp: start }
    const toTick = swapInPool(pool(), { ...order, amountSpecified: 2n ** 100n, sqrtPriceLimitX96 })
    expect(toTick).toMatchObject({ tick: -61, liquidity: 10n ** 17n, sqrtPriceX96: sqrtPriceLimitX96 })
    const oneMore = swapInPool(state, { ...order, amountSpecified: toTick.amount0 + 1n })
    expect(oneMore).toEqual({ ...toTick, amount0: toTick.amount0 + 1n })
    const replayed = pool()
    applyPoolEvent(replayed, { eventName: 'Swap', ...oneMore, timestamp: start })
    expect(replayed).toEqual(state)
  })

  test('protocol fees, once collected, are gone; the growth is not', () => {
    const state = pool()
    swapInPool(state, { zeroForOne: true, exactIn: true, amountSpecified: 4_000_000n, timestamp: start })
    expect(state.protocolFees0).toBe(3000n)
    const { feeGrowthGlobal0X128 } = state
    applyPoolEvent(state, protocol(2999n))
    expect([state.protocolFees0, state.feeGrowthGlobal0X128]).toEqual([1n, feeGrowthGlobal0X128])
  })
})

function initialize(sqrtPriceX96: bigint, tick: number) {
  return { eventName: 'Initialize', sqrtPriceX96, tick } as const
}

function tooMuch(): PoolEvent {
  return { ...mintEvent(pool(), { ...range, amount: 2n ** 127n }), timestamp: start }
}

function protocol(amount0: bigint) {
  return { eventName: 'CollectProtocol', amount0, amount1: 0n, timestamp: start } as const
}

function flashOf(paid0: bigint) {
  return { eventName: 'Flash', paid0, paid1: 0n } as const
}

function feeProtocol(feeProtocol0New: number): PoolEvent {
  return { eventName: 'SetFeeProtocol', feeProtocol0New, feeProtocol1New: 0, timestamp: start }
}

function grown(observationCardinalityNextOld: number, observationCardinalityNextNew: number): PoolEvent {
  return {
    eventName: 'IncreaseObservationCardinalityNext',
    observationCardinalityNextOld,
    observationCardinalityNextNew,
    timestamp: start,
  }
}
