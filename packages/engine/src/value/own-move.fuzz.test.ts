import {
  burnAmountsWithSlippage,
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  LpMathError,
  maxAmountsWithSlippage,
  mintAmountsWithSlippage,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import * as fc from 'fast-check'
import { type Address, maxUint128 } from 'viem'
import { expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { noBounds } from '../calldata/call-bounds.ts'
import type { DepositBounds, Ticks } from '../calldata/deposit-bounds.ts'
import type { Moved } from './moved.ts'
import { ownMoveOf } from './own-move.ts'

const pool = { id: '0x99', token0: '0x01', token1: '0x02' } as const
const contract: Address = '0x0000000000000000000000000000000000000001'
const slippageBps = 500

const range = fc
  .record({ lower: fc.integer({ min: -800, max: 800 }), wide: fc.integer({ min: 1, max: 900 }) })
  .map(({ lower, wide }): Ticks => ({ tickLower: lower, tickUpper: lower + wide }))
const amount = fc.bigInt({ min: 10n ** 12n, max: 10n ** 18n })
/** The most that a position pays, out of its liquidity and fees: v3 collects no more than it is told to. */
const uncapped = { amount0: 2n ** 128n, amount1: 2n ** 128n }
const cap = fc.option(fc.record({ amount0: amount, amount1: amount }), { nil: uncapped })
const held = fc.record({ ticks: range, liquidity: fc.bigInt({ min: 10n ** 14n, max: 10n ** 20n }), cap })
const put = fc.record({ ticks: range, amount0: amount, amount1: amount, isV4: fc.boolean() })
const moves = fc.record({
  atomicity: fc.constantFrom('single' as const, 'batch-7702' as const),
  tick: fc.integer({ min: -500, max: 500 }),
  taken: fc.array(held, { minLength: 1, maxLength: 2 }),
  given: fc.array(put, { minLength: 1, maxLength: 2 }),
})
type Move = typeof moves extends fc.Arbitrary<infer Value> ? Value : never

it('counts the most that a move in one transaction adds of the wallet at any price within its slippage', () => {
  fc.assert(
    fc.property(moves, (move) => {
      const price = getSqrtPriceAtTick(move.tick)
      const deposits = move.given.map((one) => depositOf(one, price))
      const adds = ownMoveOf(intentOf(move), movedOf(move, deposits, price))?.adds
      const { lower, upper } = sqrtPricesAfterSlippage(price, slippageBps)
      const edges = [...move.taken, ...move.given].flatMap(({ ticks }) => edgesOf(ticks))
      const steps = Array.from({ length: 101 }, (_, at) => lower + ((upper - lower) * BigInt(at)) / 100n)
      for (const at of [...steps, ...edges].filter((one) => lower <= one && one <= upper)) {
        const [add0, add1] = addedAt(move, deposits, at)
        expect((adds?.get(pool.token0) ?? 0n) + slack(move)).toBeGreaterThanOrEqual(add0)
        expect((adds?.get(pool.token1) ?? 0n) + slack(move)).toBeGreaterThanOrEqual(add1)
      }
    }),
    { numRuns: 200, seed: 31, endOnFailure: true },
  )
})

it('counts the most that it adds wherever its calldata lets it be mined, which was planned at another price than it is simulated at', () => {
  let seen = 0
  fc.assert(
    fc.property(moves, fc.integer({ min: -700, max: 700 }), fc.integer({ min: 10, max: 300 }), (move, planned, bps) => {
      const [price, plannedAt] = [getSqrtPriceAtTick(move.tick), getSqrtPriceAtTick(planned)]
      const deposits = move.given.map((one) => depositOf(one, plannedAt, bps))
      const removals = move.taken.map((one, id) => removalOf(one, plannedAt, bps, id))
      const isPermitted = (at: bigint) =>
        deposits.every((deposit) => fits(deposit, at)) &&
        removals.every(({ liquidity, least }, id) => {
          const gives = getAmountsForLiquidity(at, ...edgesOf(move.taken[id]!.ticks), liquidity, false)
          return gives.amount0 >= least.amount0 && gives.amount1 >= least.amount1
        })
      if (!isPermitted(price)) return
      const moved = movedOf(move, deposits, price)
      const calls = moved.calls.with(0, Object.assign({}, moved.calls[0], { removals }))
      const adds = ownMoveOf({ ...intentOf(move), slippageBps: bps }, { ...moved, calls })?.adds
      for (let tick = -1_500; tick <= 1_500; tick += 50) {
        const at = getSqrtPriceAtTick(tick)
        if (!isPermitted(at)) continue
        seen += 1
        const [add0, add1] = addedAt(move, deposits, at)
        expect((adds?.get(pool.token0) ?? 0n) + slack(move)).toBeGreaterThanOrEqual(add0)
        expect((adds?.get(pool.token1) ?? 0n) + slack(move)).toBeGreaterThanOrEqual(add1)
      }
    }),
    { numRuns: 300, seed: 32, endOnFailure: true },
  )
  expect(seen).toBeGreaterThan(100)
})

it('counts what a simulation shows beside its positions as far as fees had settled, and no further', () => {
  const beside = fc.record({ shown: amount, settled: amount, isFirst: fc.boolean() })
  fc.assert(
    fc.property(moves, beside, (move, { shown, settled, isFirst }) => {
      const price = getSqrtPriceAtTick(move.tick)
      const deposits = move.given.map((one) => depositOf(one, price))
      const token = isFirst ? pool.token0 : pool.token1
      const simulated = movedOf(
        { ...move, taken: move.taken.map((one) => ({ ...one, cap: uncapped })) },
        deposits,
        price,
      )
      const addsOf = (change: Partial<Moved>) => {
        const adds = ownMoveOf(intentOf(move), { ...simulated, ...change })?.adds
        return [adds?.get(pool.token0) ?? 0n, adds?.get(pool.token1) ?? 0n]
      }
      const showing = (amountShown: bigint) =>
        new Map([...simulated.deltas, [token, (simulated.deltas.get(token) ?? 0n) + amountShown]])
      const least = shown < settled ? shown : settled
      const fees = isFirst ? ([settled, 0n] as const) : ([0n, settled] as const)
      const [adds, believed] = [
        addsOf({ deltas: showing(shown), settledFees: new Map([[`${contract} 0`, { fees, liquidity: maxUint128 }]]) }),
        addsOf({ deltas: showing(least) }),
      ]
      for (const side of [0, 1]) expect(distance(adds[side]!, believed[side]!)).toBeLessThanOrEqual(slack(move))
      // Liquidity that somebody has added since may be gone: the wallet pays for all that is put in then.
      const gone = move.taken.map((_one, at) => [`${contract} ${at}`, { fees: [0n, 0n], liquidity: 0n }] as const)
      const unsettled = addsOf({ settledFees: new Map(gone) })
      const put = addedAt({ ...move, taken: [] }, deposits, price)
      for (const side of [0, 1] as const) expect(unsettled[side]! + slack(move)).toBeGreaterThanOrEqual(put[side])
    }),
    { numRuns: 200, seed: 33, endOnFailure: true },
  )
})

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one
}

/** Liquidity is whole: next to an edge one unit more or less of it is that many of a token. */
function slack({ given, taken }: Move): bigint {
  return BigInt(given.length + taken.length) * 10n ** 5n
}

/** Without a slippage nothing bounds it but its amounts. */
function depositOf(
  { ticks, amount0, amount1, isV4 }: Move['given'][number],
  price: bigint,
  bps: number | null = null,
): DepositBounds {
  const minted = mintedAt(ticks, price, [amount0, amount1])
  const [sqrtPriceAX96, sqrtPriceBX96] = edgesOf(ticks)
  const limits = { sqrtPriceX96: price, sqrtPriceAX96, sqrtPriceBX96, liquidity: minted, slippageBps: bps ?? 0 }
  const isBound = bps !== null && minted > 0n
  const none = { amount0: 0n, amount1: 0n }
  const least = isBound && !isV4 ? mintAmountsWithSlippage(limits) : none
  const most = isBound && isV4 ? maxAmountsWithSlippage(limits) : { amount0, amount1 }
  const own = { contract, positionId: null, pool, ticks, least } as const
  return { ...own, version: isV4 ? 'v4' : 'v3', liquidity: isV4 ? minted : null, most }
}

function removalOf({ ticks, liquidity }: Move['taken'][number], sqrtPriceX96: bigint, slippageBps: number, id: number) {
  const [sqrtPriceAX96, sqrtPriceBX96] = edgesOf(ticks)
  const least = burnAmountsWithSlippage({ sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, slippageBps })
  return { contract, positionId: BigInt(id), liquidity, least }
}

/** Whether its contract takes it there. */
function fits({ ticks, liquidity, most, least }: DepositBounds, price: bigint): boolean {
  const minted = liquidity ?? mintedAt(ticks!, price, [most.amount0, most.amount1])
  const takes = getAmountsForLiquidity(price, ...edgesOf(ticks!), minted, true)
  const isEnough = takes.amount0 >= least.amount0 && takes.amount1 >= least.amount1
  return minted > 0n && isEnough && takes.amount0 <= most.amount0 && takes.amount1 <= most.amount1
}

function intentOf({ atomicity }: Move): Intent {
  const sums = { spends: [], receives: [], approvals: [], recipients: [], deposits: [] }
  return { chainId: 1, calls: [], atomicity, ...sums, riskTier: 'routine', slippageBps, deadline: null, why: 'a move' }
}

function movedOf(move: Move, deposits: readonly DepositBounds[], price: bigint): Moved {
  const [add0, add1] = addedAt(move, deposits, price)
  const positions = move.taken.map(({ ticks, liquidity }, id) => {
    return { contract, id: BigInt(id), pool, isHooked: false, ...ticks, liquidityBefore: liquidity, liquidityAfter: 0n }
  }) as Moved['inspected']['positions']
  const payouts = move.taken.map((one, id) => ({ contract, positionId: BigInt(id), most: one.cap }))
  const state = { ...pool, version: 'v3', stoodBefore: true, sqrtPriceX96: price, pair: null } as const
  return {
    calls:
      move.atomicity === 'single'
        ? [{ ...noBounds, payouts, deposits }]
        : [
            { ...noBounds, payouts },
            { ...noBounds, deposits },
          ],
    inspected: { positions, pools: [state], orders: [], vaultDeposits: [] },
    deltas: new Map([
      [pool.token0, -add0],
      [pool.token1, -add1],
    ]),
    paid: new Map(),
    pairs: new Map(),
    wrappedNative: '0x03',
  }
}

function addedAt({ taken }: Move, deposits: readonly DepositBounds[], price: bigint): readonly [bigint, bigint] {
  const paid = taken.map(({ ticks, liquidity, cap: most }) => {
    const { amount0, amount1 } = getAmountsForLiquidity(price, ...edgesOf(ticks), liquidity, false)
    return {
      amount0: amount0 < most.amount0 ? amount0 : most.amount0,
      amount1: amount1 < most.amount1 ? amount1 : most.amount1,
    }
  })
  const took = deposits.map(({ ticks, liquidity, most }) => {
    const minted = liquidity ?? mintedAt(ticks!, price, [most.amount0, most.amount1])
    return getAmountsForLiquidity(price, ...edgesOf(ticks!), minted, false)
  })
  const sum = (values: readonly bigint[]) => values.reduce((all, one) => all + one, 0n)
  return [
    sum(took.map(({ amount0 }) => amount0)) - sum(paid.map(({ amount0 }) => amount0)),
    sum(took.map(({ amount1 }) => amount1)) - sum(paid.map(({ amount1 }) => amount1)),
  ]
}

/** Nothing where the contract would revert. */
function mintedAt(ticks: Ticks, price: bigint, amounts: readonly [bigint, bigint]): bigint {
  try {
    return getLiquidityForAmounts(price, ...edgesOf(ticks), ...amounts)
  } catch (error) {
    if (error instanceof LpMathError) return 0n
    throw error
  }
}

function edgesOf({ tickLower, tickUpper }: Ticks): readonly [bigint, bigint] {
  return [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
}
