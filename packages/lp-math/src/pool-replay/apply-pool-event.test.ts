import { describe, expect, test } from 'vitest'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import { createPoolState } from './pool-state.ts'
import { type PoolEvent, positionKey } from './pool-event.ts'
import { mintEvent, openPool, start } from './pool-replay.fixture.ts'
import { swapInPool } from './plan-swap.ts'

const range = { tickLower: -60, tickUpper: 60 }
const owner = '0xA'
const nothing = { amount0: 0n, amount1: 0n }
const [swaps, events, liquidity] = ['SWAP_LOGS_INCONSISTENT', 'POOL_EVENTS_INCONSISTENT', 'LIQUIDITY_OUT_OF_RANGE']

function pool() {
  const mints = [
    { ...range, amount: 10n ** 18n },
    { tickLower: -600, tickUpper: 600, amount: 10n ** 17n },
  ]
  return openPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: 2n ** 96n, feeProtocol: [4, 10], mints })
}

describe('what cannot have happened is refused and changes nothing', () => {
  const order = { zeroForOne: true, exactIn: true, amountSpecified: 10n ** 15n, timestamp: start }
  const swap = swapInPool(pool(), order)
  const { args: mint } = mintEvent(pool(), { ...range, amount: 5n })
  const burn = { owner, ...range, amount: 0n, ...nothing }
  const cases: readonly (readonly [what: string, code: string, event: PoolEvent])[] = [
    ['a second Initialize', events, event('Initialize', { sqrtPriceX96: 2n ** 96n, tick: 0 })],
    ['a swap of a little more in', swaps, event('Swap', { ...swap, amount0: swap.amount0 + 4n })],
    ['a swap of one unit more out', swaps, event('Swap', { ...swap, amount1: swap.amount1 - 1n })],
    ['another tick', swaps, event('Swap', { ...swap, tick: swap.tick + 1 })],
    ['another liquidity', swaps, event('Swap', { ...swap, liquidity: swap.liquidity + 1n })],
    ['another price', swaps, event('Swap', { ...swap, sqrtPriceX96: swap.sqrtPriceX96 - 1n })],
    ['a price no pool has', swaps, event('Swap', { ...swap, sqrtPriceX96: 1n })],
    ['a swap seen from the trader', swaps, event('Swap', { ...swap, amount0: -swap.amount0, amount1: 1n })],
    ['a swap of nothing', swaps, event('Swap', { ...swap, ...nothing, sqrtPriceX96: 2n ** 96n, tick: 0 })],
    ['a mint of other amounts', events, event('Mint', { ...mint, amount0: mint.amount0 + 1n })],
    ['a mint of nothing', events, event('Mint', { ...mint, amount: 0n, ...nothing })],
    ['a mint off the spacing', events, event('Mint', { ...mint, tickLower: -59 })],
    ['a range turned round', events, event('Mint', { ...mint, tickLower: 60, tickUpper: -60 })],
    ['a range beyond the ticks', 'TICK_OUT_OF_RANGE', event('Mint', { ...mint, tickUpper: 887_280 })],
    ['more than a tick holds', liquidity, mintEvent(pool(), { ...range, amount: 2n ** 127n })],
    ['a burn of another position', events, event('Burn', { ...burn, owner: '0xB' })],
    ['a burn of a negative liquidity', liquidity, event('Burn', { ...burn, amount: -1n })],
    ['a collect of what is not owed', events, event('Collect', { ...burn, amount0: 1n })],
    ['a protocol collect of what is not owed', events, event('CollectProtocol', { amount0: 1n, amount1: 0n })],
    ['a protocol fee no factory sets', events, event('SetFeeProtocol', { feeProtocol0New: 3, feeProtocol1New: 0 })],
    ['a flash loan paid back short', events, event('Flash', { paid0: -1n, paid1: 0n })],
    ['an oracle grown from another size', events, grown(2, 5)],
    ['an oracle that does not grow', events, grown(1, 1)],
    ['a time before the last', events, event('Collect', burn, start - 1)],
    ['a time that is none', events, event('Collect', burn, 1.5)],
  ]
  test.each(cases)('%s', (_, code, impossible) => {
    const state = pool()
    expect(() => applyPoolEvent(state, impossible)).toThrow(expect.objectContaining({ code }))
    expect(state).toEqual(pool())
  })

  test('anything before Initialize, and an Initialize whose tick is not that of its price', () => {
    const state = createPoolState({ feePips: 500, tickSpacing: 10 })
    const refused = (impossible: PoolEvent, code: string) =>
      expect(() => applyPoolEvent(state, impossible)).toThrow(expect.objectContaining({ code }))
    refused(event('Collect', burn), events)
    refused(event('Initialize', { sqrtPriceX96: 2n ** 96n, tick: 1 }), events)
    refused(event('Initialize', { sqrtPriceX96: 1n, tick: 0 }), 'SQRT_PRICE_OUT_OF_RANGE')
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
  test('a state made by hand without records of the oracle trades as one with them, and stays without', () => {
    const [with_, without] = [pool(), { ...pool(), observations: [], observationIndex: 0, observationCardinality: 0 }]
    const order = { zeroForOne: true, exactIn: true, amountSpecified: 10n ** 18n, timestamp: start + 12 }
    expect(swapInPool(without, order)).toEqual(swapInPool(with_, order))
    expect(without).toMatchObject({ observations: [], observationIndex: 0, observationCardinality: 0 })
  })

  test('fee growth wraps at 2^256, and a position is owed what grew across the wrap', () => {
    const mints = [{ ...range, amount: 1n }]
    const state = openPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: 2n ** 96n, mints })
    const flash = (paid0: bigint) => applyPoolEvent(state, event('Flash', { paid0, paid1: 0n }))
    const poke = () => applyPoolEvent(state, event('Burn', { owner, ...range, amount: 0n, ...nothing }))
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
    applyPoolEvent(replayed, event('Swap', oneMore))
    expect(replayed).toEqual(state)
  })

  test('protocol fees, once collected, are gone; the growth is not', () => {
    const state = pool()
    swapInPool(state, { zeroForOne: true, exactIn: true, amountSpecified: 4_000_000n, timestamp: start })
    expect(state.protocolFees0).toBe(3000n)
    const { feeGrowthGlobal0X128 } = state
    applyPoolEvent(state, event('CollectProtocol', { amount0: 2999n, amount1: 0n }))
    expect([state.protocolFees0, state.feeGrowthGlobal0X128]).toEqual([1n, feeGrowthGlobal0X128])
  })
})

type ArgsOf<Name> = Extract<PoolEvent, { eventName: Name }>['args']

function event<Name extends PoolEvent['eventName']>(eventName: Name, args: ArgsOf<Name>, timestamp = start) {
  return { eventName, args, timestamp } as Extract<PoolEvent, { eventName: Name }>
}

function grown(observationCardinalityNextOld: number, observationCardinalityNextNew: number): PoolEvent {
  const sizes = { observationCardinalityNextOld, observationCardinalityNextNew }
  return event('IncreaseObservationCardinalityNext', sizes)
}
