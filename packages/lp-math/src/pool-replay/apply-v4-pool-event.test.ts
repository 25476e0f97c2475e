import { describe, expect, test } from 'vitest'
import { v4SwapFee } from '../fees/fees.ts'
import { applyV4PoolEvent, planV4Swap } from './apply-v4-pool-event.ts'
import { swapFields } from './plan-swap.ts'
import { v4EventDifferences } from './event-differences.ts'
import { start } from './pool-replay.fixture.ts'
import { type V4PoolEvent, createV4PoolState, v4PositionKey } from './v4-pool-state.ts'

const [swaps, events, liquidity] = ['SWAP_LOGS_INCONSISTENT', 'POOL_EVENTS_INCONSISTENT', 'LIQUIDITY_OUT_OF_RANGE']
const salt = `0x${'00'.repeat(32)}`
const position = { sender: '0xA', tickLower: -60, tickUpper: 60, salt }

function pool(feePips = 3000) {
  const state = createV4PoolState({ feePips, tickSpacing: 60 })
  applyV4PoolEvent(state, event('Initialize', { sqrtPriceX96: 2n ** 96n, tick: 0 }))
  applyV4PoolEvent(state, event('ProtocolFeeUpdated', { protocolFee: (400 << 12) | 1000 }))
  applyV4PoolEvent(state, event('ModifyLiquidity', { ...position, liquidityDelta: 10n ** 18n }))
  applyV4PoolEvent(
    state,
    event('ModifyLiquidity', { ...position, tickLower: -600, tickUpper: 600, liquidityDelta: 10n ** 17n }),
  )
  return state
}

/** A swap of token0, seen from the trader as the manager writes it. */
function swapOf(amountSpecified: bigint, fee = v4SwapFee(1000, 3000), state = pool()) {
  const order = { zeroForOne: true, exactIn: true, amountSpecified, timestamp: start }
  const { amount0, amount1, ...rest } = swapFields(planV4Swap(state, order, fee))
  return { ...rest, amount0: -amount0, amount1: -amount1, fee }
}

describe('what cannot have happened in a v4 pool is refused and changes nothing', () => {
  const swap = swapOf(10n ** 15n)
  const cases: readonly (readonly [what: string, code: string, event: V4PoolEvent])[] = [
    ['a second Initialize', events, event('Initialize', { sqrtPriceX96: 2n ** 96n, tick: 0 })],
    ['a swap of one unit more out', swaps, event('Swap', { ...swap, amount1: swap.amount1 + 1n })],
    ['another price', swaps, event('Swap', { ...swap, sqrtPriceX96: swap.sqrtPriceX96 - 1n })],
    ['a swap seen from the pool', swaps, event('Swap', { ...swap, amount0: -swap.amount0, amount1: -swap.amount1 })],
    ['a fee without the part of the protocol', swaps, event('Swap', { ...swap, fee: 3000 })],
    [
      'a position off the spacing',
      events,
      event('ModifyLiquidity', { ...position, tickLower: -59, liquidityDelta: 1n }),
    ],
    [
      'a range turned round',
      events,
      event('ModifyLiquidity', { ...position, tickLower: 60, tickUpper: -60, liquidityDelta: 1n }),
    ],
    [
      'a range beyond the ticks',
      'TICK_OUT_OF_RANGE',
      event('ModifyLiquidity', { ...position, tickUpper: 887_280, liquidityDelta: 1n }),
    ],
    [
      'more taken out than there is',
      events,
      event('ModifyLiquidity', { ...position, liquidityDelta: -(10n ** 18n) - 1n }),
    ],
    [
      'of a position with another salt',
      events,
      event('ModifyLiquidity', { ...position, salt: '0x01', liquidityDelta: 0n }),
    ],
    ['more than a tick holds', liquidity, event('ModifyLiquidity', { ...position, liquidityDelta: 2n ** 127n })],
    ['a donation that takes', events, event('Donate', { amount0: -1n, amount1: 0n })],
    ['a protocol fee beyond a thousandth', events, event('ProtocolFeeUpdated', { protocolFee: 1001 })],
    ['a time before the last', events, event('Donate', { amount0: 1n, amount1: 0n }, start - 1)],
  ]
  test.each(cases)('%s', (_, code, impossible) => {
    const state = pool()
    expect(() => applyV4PoolEvent(state, impossible)).toThrow(expect.objectContaining({ code }))
    expect(state).toEqual(pool())
  })

  test('anything before Initialize', () => {
    const state = createV4PoolState({ feePips: 500, tickSpacing: 10 })
    const donate = () => applyV4PoolEvent(state, event('Donate', { amount0: 1n, amount1: 0n }))
    expect(donate).toThrow(expect.objectContaining({ code: events }))
  })
})

describe('hooks', () => {
  test('that may change amounts are refused by their permissions, others are not', () => {
    const of = (hooks: string) => () => createV4PoolState({ feePips: 500, tickSpacing: 10, hooks })
    const refusal = (message: RegExp) =>
      expect.objectContaining({ code: 'HOOK_CHANGES_AMOUNTS', message: expect.stringMatching(message) })
    expect(of(`0x${'1'.repeat(36)}0088`)).toThrow(refusal(/\(beforeSwapReturnsDelta\)/))
    expect(of(`0x${'1'.repeat(36)}0007`)).toThrow(
      refusal(/\(afterSwapReturnsDelta, afterAddLiquidityReturnsDelta, afterRemoveLiquidityReturnsDelta\)/),
    )
    expect(of(`0x${'1'.repeat(36)}00c0`)).not.toThrow()
    expect(of('0x88')).toThrow(expect.objectContaining({ code: 'HOOK_MALFORMED' }))
  })

  test('with a dynamic fee: each swap tells its own', () => {
    const state = pool(0x800000)
    for (const fee of [v4SwapFee(1000, 100), v4SwapFee(1000, 90_000), 1000]) {
      applyV4PoolEvent(state, event('Swap', swapOf(10n ** 12n, fee, state)))
    }
    expect(state.feeGrowthGlobal0X128).toBeGreaterThan(0n)
  })
})

describe('the books of a v4 pool', () => {
  test('a change of a position pays its fees, the protocol its part before', () => {
    const state = pool()
    const paid: bigint[] = []
    applyV4PoolEvent(state, event('Swap', swapOf(11n * 10n ** 14n)), ({ fee }) => paid.push(fee))
    applyV4PoolEvent(state, event('ModifyLiquidity', { ...position, liquidityDelta: 0n }))
    const { feesPaid0 } = state.positions.get(v4PositionKey({ owner: '0xa', ...position }))!
    // Ten elevenths of 0.2997 % of the input: 0.3 % of what 0.1 % of the protocol leaves.
    expect(Number(feesPaid0)).toBeCloseTo((11e14 * 0.002997 * 10) / 11, -2)
    expect(paid).toHaveLength(1)
  })

  test('a donation is for the liquidity at the price', () => {
    const state = pool()
    applyV4PoolEvent(state, event('Donate', { amount0: 11n * 10n ** 6n, amount1: 0n }))
    applyV4PoolEvent(state, event('ModifyLiquidity', { ...position, liquidityDelta: -(10n ** 18n) }))
    const taken = state.positions.get(v4PositionKey({ owner: '0xa', ...position }))
    expect(taken).toMatchObject({ liquidity: 0n, feesPaid0: 9_999_999n, feesPaid1: 0n })
    expect(state.ticks.map(({ tick }) => tick)).toEqual([-600, 600])
  })
})

test('of a swap that does not fit, the fields are told in which the nearest order differs', () => {
  const swap = swapOf(10n ** 15n)
  const off = { ...swap, amount1: swap.amount1 + 7n }
  expect(v4EventDifferences(pool(), event('Swap', off))).toEqual([
    { field: 'amount1', logged: off.amount1, replayed: swap.amount1 },
  ])
})

type ArgsOf<Name> = Extract<V4PoolEvent, { eventName: Name }>['args']

function event<Name extends V4PoolEvent['eventName']>(eventName: Name, args: ArgsOf<Name>, timestamp = start) {
  return { eventName, args, timestamp } as Extract<V4PoolEvent, { eventName: Name }>
}
