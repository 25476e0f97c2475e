import * as fc from 'fast-check'
import { type Address, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem'
import { v3PoolAbi } from '../amm-abis.fixture.ts'
import { getAmountsForLiquidity } from '../liquidity/liquidity.ts'
import { fullRangeTicks, MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { upToBits } from '../v3-sdk.fixture.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import { planSwap, type SwapOrder, swapInPool } from './plan-swap.ts'
import { type PoolEvent, positionKey } from './pool-event.ts'
import { findTick, type PoolState } from './pool-state.ts'

/** A call to the pool, and the event it will write. */
export type ForeseenCall = { readonly data: Hex; readonly event: PoolEvent }

/** Chance, seeded: what one call is, in terms that `foresee` fits to the pool as it stands then. */
export function drawCalls(seed: number, count: number): Drawn[] {
  return fc.sample(anyCall, { seed, numRuns: count })
}

/** Turns a draw into a call that this pool will accept, and brings the state past it; null where it fits no call. */
export function foresee(state: PoolState, drawn: Drawn, at: Setting): ForeseenCall | null {
  const call = builders[drawn.kind](state, drawn, at)
  if (call === null) return null
  // Swaps have moved the state themselves: what is foreseen is the swap, not its replay.
  if (call.event.eventName !== 'Swap') applyPoolEvent(state, call.event)
  return call
}

/** Fees so great that the pool's growth of both tokens goes round beyond 2^256: by swaps, and once more by a flash loan. */
export function goRound(state: PoolState, at: Setting): ForeseenCall[] {
  if (state.liquidity === 0n) return []
  const near = fillUp(state, state.feeGrowthGlobal0X128, state.feeGrowthGlobal1X128, at)
  applyPoolEvent(state, near.event)
  const amountSpecified = state.liquidity
  const swaps = [true, false].map((zeroForOne) => swap(state, at, { ...toEnd(state, zeroForOne), amountSpecified }))
  if (state.liquidity === 0n) return [near, ...swaps]
  const again = fillUp(state, 0n, 0n, at)
  applyPoolEvent(state, again.event)
  return [near, ...swaps, again]
}

/** A flash loan whose fees bring the growth of both tokens from here to just below 2^256. */
function fillUp({ liquidity, feeProtocol }: PoolState, growth0: bigint, growth1: bigint, at: Setting): ForeseenCall {
  const paid = (growth: bigint, part: bigint) => {
    const toProviders = (((1n << 256n) - growth) * liquidity - 1n) >> 128n
    return part === 0n ? toProviders : (toProviders * part) / (part - 1n)
  }
  return flash(paid(growth0, BigInt(feeProtocol % 16)), paid(growth1, BigInt(feeProtocol >> 4)), at)
}

/** What a pool's traffic has to contain: every event but Initialize, and the swaps that are hard to get right. */
export const remarks = [
  'Burn',
  'Collect',
  'CollectProtocol',
  'Flash',
  'IncreaseObservationCardinalityNext',
  'Mint',
  'SetFeeProtocol',
  'Swap',
  'first mint at the tick of the price',
  'growth round by a flash loan',
  'growth round by a swap',
  'swap for nothing through a gap',
  'swap that left the price alone',
  'swap to a tick from above',
  'swap to a tick from below',
  'swap to the highest price',
  'swap to the lowest price',
] as const

/** Which of them an event is, given the pool before and after it. */
export function remark(event: PoolEvent, before: PoolState, after: PoolState): string[] {
  const isRound = after.feeGrowthGlobal0X128 < before.feeGrowthGlobal0X128
  if (event.eventName === 'Flash') return ['Flash', ...(isRound ? ['growth round by a flash loan'] : [])]
  if (event.eventName === 'Mint') {
    const { tickLower, amount } = event.args
    const isFirst = tickLower === after.tick && findTick(after, tickLower)?.liquidityGross === amount
    return ['Mint', ...(isFirst ? ['first mint at the tick of the price'] : [])]
  }
  if (event.eventName !== 'Swap') return [event.eventName]
  const { amount0, amount1, sqrtPriceX96, tick } = event.args
  const isAt = (bound: number) => bound <= MAX_TICK && sqrtPriceX96 === getSqrtPriceAtTick(bound)
  return [
    'Swap',
    ...(isRound ? ['growth round by a swap'] : []),
    ...(amount0 === 0n && amount1 === 0n ? ['swap for nothing through a gap'] : []),
    ...(sqrtPriceX96 === before.sqrtPriceX96 ? ['swap that left the price alone'] : []),
    ...(isAt(tick + 1) ? ['swap to a tick from above'] : []),
    ...(isAt(tick) && sqrtPriceX96 > before.sqrtPriceX96 ? ['swap to a tick from below'] : []),
    ...(sqrtPriceX96 === MAX_SQRT_PRICE - 1n ? ['swap to the highest price'] : []),
    ...(sqrtPriceX96 === MIN_SQRT_PRICE + 1n ? ['swap to the lowest price'] : []),
  ]
}

export type Setting = { readonly caller: Address; readonly timestamp: number }

const kinds = {
  exactIn: 22,
  exactOut: 14,
  toLimit: 14,
  toTick: 14,
  toEdge: 1,
  mint: 16,
  burn: 14,
  collect: 6,
  flash: 3,
  setFeeProtocol: 1,
  collectProtocol: 1,
  grow: 1,
} as const

type Kind = keyof typeof kinds

const anyCall = fc.record({
  kind: fc.oneof(...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) }))),
  zeroForOne: fc.boolean(),
  amount: fc.oneof({ weight: 1, arbitrary: fc.bigInt(1n, 4n) }, { weight: 9, arbitrary: upToBits(64) }),
  distance: fc.integer({ min: 1, max: 3_000 }),
  place: fc.integer({ min: -8, max: 8 }),
  width: fc.integer({ min: 1, max: 12 }),
  pick: fc.nat(1_000_000),
  part: fc.constantFrom(0n, 1n, 2n, 2n, 3n, 3n),
})

type Drawn = typeof anyCall extends fc.Arbitrary<infer T> ? T : never
type Builder = (state: PoolState, drawn: Drawn, at: Setting) => ForeseenCall | null

const builders: Readonly<Record<Kind, Builder>> = {
  exactIn: (state, drawn, at) => swapWithin(state, drawn, at, { exactIn: true, amountSpecified: drawn.amount + 1n }),
  exactOut: (state, drawn, at) => swapWithin(state, drawn, at, { exactIn: false, amountSpecified: drawn.amount + 1n }),
  toLimit: (state, drawn, at) =>
    swapWithin(state, drawn, at, { exactIn: drawn.pick % 2 === 0, amountSpecified: endless }),
  toTick,
  toEdge: (state, { zeroForOne }, at) => swap(state, at, { ...toEnd(state, zeroForOne), amountSpecified: endless }),
  mint,
  burn,
  collect,
  flash(state, { amount, pick, part }, at) {
    if (state.liquidity === 0n) return null
    return pick % 2 === 0 ? flash(amount, part, at) : flash(part, amount, at)
  },
  setFeeProtocol(_, { pick, width }, { timestamp }) {
    const part = (value: number) => (value % 8 === 7 ? 0 : (value % 8) + 4)
    const [feeProtocol0New, feeProtocol1New] = [part(pick), part(width)]
    const event = { eventName: 'SetFeeProtocol', args: { feeProtocol0New, feeProtocol1New }, timestamp } as const
    return { data: call('setFeeProtocol', [feeProtocol0New, feeProtocol1New]), event }
  },
  collectProtocol(state, { amount, part }, { timestamp }) {
    // The contract leaves a unit behind, so as not to clear its slot.
    const given = (owed: bigint, asked: bigint) => (asked < owed ? asked : owed > 0n ? owed - 1n : 0n)
    const [amount0, amount1] = [given(state.protocolFees0, amount), given(state.protocolFees1, part << 40n)]
    const data = call('collectProtocol', [nobody, amount, part << 40n])
    return { data, event: { eventName: 'CollectProtocol', args: { amount0, amount1 }, timestamp } }
  },
  grow(state, { width }, { timestamp }) {
    const observationCardinalityNextOld = state.observationCardinalityNext
    const observationCardinalityNextNew = observationCardinalityNextOld + width
    if (observationCardinalityNextNew > 40) return null
    const args = { observationCardinalityNextOld, observationCardinalityNextNew }
    const data = call('increaseObservationCardinalityNext', [observationCardinalityNextNew])
    return { data, event: { eventName: 'IncreaseObservationCardinalityNext', args, timestamp } }
  },
}

/** More than any pool takes or holds. */
const endless = 1n << 200n
const nobody: Address = '0x00000000000000000000000000000000000000B0'
const twoAmounts = [{ type: 'uint256' }, { type: 'uint256' }] as const
const most = 2n ** 128n - 1n

const call = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData<readonly unknown[]>({ abi: v3PoolAbi, functionName, args })

type Direction = { readonly zeroForOne: boolean; readonly sqrtPriceLimitX96: bigint }

/** As far as the price can go; the other way where it is there already. */
function toEnd({ sqrtPriceX96 }: PoolState, wanted: boolean): Direction & { exactIn: true } {
  const zeroForOne = wanted ? sqrtPriceX96 > MIN_SQRT_PRICE + 1n : sqrtPriceX96 >= MAX_SQRT_PRICE - 1n
  return { zeroForOne, exactIn: true, sqrtPriceLimitX96: zeroForOne ? MIN_SQRT_PRICE + 1n : MAX_SQRT_PRICE - 1n }
}

/** A limit some way off, so that the price stays where the liquidity is; from far out the way leads back. */
function limitOf(state: PoolState, { zeroForOne, distance, pick }: Drawn): Direction {
  const isFar = Math.abs(state.tick) > 60_000 && pick % 3 > 0
  const target = isFar ? distance : state.tick + (zeroForOne ? -distance : distance)
  const { tickLower, tickUpper } = fullRangeTicks(state.tickSpacing)
  const tick = Math.min(Math.max(target, tickLower), tickUpper)
  const onSpacing = pick % 5 === 0 ? Math.round(tick / state.tickSpacing) * state.tickSpacing : tick
  const sqrtPriceLimitX96 = getSqrtPriceAtTick(onSpacing) + BigInt(pick % 7 === 0 ? distance : 0)
  if (sqrtPriceLimitX96 === state.sqrtPriceX96) return toEnd(state, zeroForOne)
  return { zeroForOne: sqrtPriceLimitX96 < state.sqrtPriceX96, sqrtPriceLimitX96 }
}

function swapWithin(
  state: PoolState,
  drawn: Drawn,
  at: Setting,
  order: Pick<SwapOrder, 'exactIn' | 'amountSpecified'>,
) {
  return swap(state, at, { ...limitOf(state, drawn), ...order })
}

/** Just the amount that reaches an initialised tick, or a few units more or less. */
function toTick(state: PoolState, drawn: Drawn, at: Setting): ForeseenCall | null {
  const { zeroForOne, pick, part } = drawn
  const ahead = state.ticks.filter(({ tick }) => (zeroForOne ? tick <= state.tick : tick > state.tick))
  const target = zeroForOne ? ahead.at(-1 - (pick % 3)) : ahead[pick % 3]
  if (target === undefined) return null
  const sqrtPriceLimitX96 = getSqrtPriceAtTick(target.tick)
  if (sqrtPriceLimitX96 === state.sqrtPriceX96) return null
  const way = { zeroForOne, timestamp: at.timestamp, sqrtPriceLimitX96 }
  const { amountIn, amountOut } = planSwap(state, { ...way, exactIn: true, amountSpecified: endless }).result
  const exactIn = pick % 2 === 0
  const amountSpecified = (exactIn ? amountIn : amountOut) + part - 1n
  if (amountSpecified <= 0n) return null
  return swap(state, at, {
    zeroForOne,
    exactIn,
    amountSpecified,
    sqrtPriceLimitX96: toEnd(state, zeroForOne).sqrtPriceLimitX96,
  })
}

function swap(state: PoolState, { caller, timestamp }: Setting, order: Omit<SwapOrder, 'timestamp'>): ForeseenCall {
  const { zeroForOne, exactIn, amountSpecified, sqrtPriceLimitX96 } = order
  const signed = exactIn ? amountSpecified : -amountSpecified
  const data = call('swap', [caller, zeroForOne, signed, sqrtPriceLimitX96, '0x'])
  return { data, event: { eventName: 'Swap', args: swapInPool(state, { ...order, timestamp }), timestamp } }
}

function mint(state: PoolState, drawn: Drawn, { caller, timestamp }: Setting): ForeseenCall | null {
  const range = drawn.pick % 50 === 0 ? fullRangeTicks(state.tickSpacing) : rangeAround(state, drawn)
  if (range.tickLower >= range.tickUpper) return null
  return mintOf(state, range, drawn.amount + 1n, drawn.pick % 20 === 1 ? nobody : caller, timestamp)
}

/** On a grid wider than the spacing, so that ranges share ticks; from the very tick of the price where that is one of the spacing. */
function rangeAround({ tick, tickSpacing }: PoolState, { place, width, pick }: Drawn): Range {
  const bounds = fullRangeTicks(tickSpacing)
  const step = 5 * tickSpacing
  const isHere = tick % tickSpacing === 0 && pick % 2 === 0
  const from = isHere ? tick : (Math.round(tick / step) + place) * step
  const to = from + width * (pick % 4 === 0 ? tickSpacing : step)
  return { tickLower: Math.max(from, bounds.tickLower), tickUpper: Math.min(to, bounds.tickUpper) }
}

type Range = { tickLower: number; tickUpper: number }

function mintOf(state: PoolState, range: Range, amount: bigint, owner: Address, timestamp: number): ForeseenCall {
  const args = { owner, ...range, amount, ...worth(state, range, amount, true) }
  const data = call('mint', [owner, range.tickLower, range.tickUpper, amount, '0x'])
  return { data, event: { eventName: 'Mint', args, timestamp } }
}

/** A loan of nothing that is paid back with something: all of it is fee. */
function flash(paid0: bigint, paid1: bigint, { timestamp }: Setting): ForeseenCall {
  const data = call('flash', [nobody, 0n, 0n, encodeAbiParameters(twoAmounts, [paid0, paid1])])
  return { data, event: { eventName: 'Flash', args: { paid0, paid1 }, timestamp } }
}

function worth(state: PoolState, range: Range, amount: bigint, roundUp: boolean) {
  const bounds = [getSqrtPriceAtTick(range.tickLower), getSqrtPriceAtTick(range.tickUpper)] as const
  return getAmountsForLiquidity(state.sqrtPriceX96, ...bounds, amount, roundUp)
}

/** Of a position of the caller's all, half, one unit, or nothing, which brings its fees up to date. */
function burn(state: PoolState, drawn: Drawn, { caller, timestamp }: Setting): ForeseenCall | null {
  const range = pickPosition(state, drawn, caller, true)
  if (range === null) return null
  const { liquidity } = state.positions.get(positionKey({ owner: caller, ...range }))!
  const amount = [0n, 1n, liquidity / 2n, liquidity][Number(drawn.part)]!
  const args = { owner: caller, ...range, amount, ...worth(state, range, amount, false) }
  const data = call('burn', [range.tickLower, range.tickUpper, amount])
  return { data, event: { eventName: 'Burn', args, timestamp } }
}

function collect(state: PoolState, drawn: Drawn, { caller, timestamp }: Setting): ForeseenCall | null {
  const range = pickPosition(state, drawn, caller, false)
  if (range === null) return null
  const { tokensOwed0, tokensOwed1 } = state.positions.get(positionKey({ owner: caller, ...range }))!
  const asked = drawn.part > 1n ? most : drawn.amount
  const given = (owed: bigint) => (asked < owed ? asked : owed)
  const args = { owner: caller, ...range, amount0: given(tokensOwed0), amount1: given(tokensOwed1) }
  const data = call('collect', [caller, range.tickLower, range.tickUpper, asked, asked])
  return { data, event: { eventName: 'Collect', args, timestamp } }
}

function pickPosition({ positions }: PoolState, { pick }: Drawn, caller: Address, withLiquidity: boolean) {
  const prefix = `${caller.toLowerCase()}:`
  const own = [...positions].filter(
    ([key, { liquidity }]) => key.startsWith(prefix) && (!withLiquidity || liquidity > 0n),
  )
  const [key] = own[pick % Math.max(own.length, 1)] ?? []
  if (key === undefined) return null
  const [, tickLower, tickUpper] = key.split(':').map(Number)
  return { tickLower: tickLower!, tickUpper: tickUpper! }
}
