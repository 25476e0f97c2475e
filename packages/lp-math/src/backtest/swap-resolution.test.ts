import { describe, expect, test } from 'vitest'
import { barsFromSwaps } from '../bars/make-bars.ts'
import { applyPoolEvent } from '../pool-replay/apply-pool-event.ts'
import { swapInPool } from '../pool-replay/plan-swap.ts'
import type { PoolEvent } from '../pool-replay/pool-event.ts'
import { mintEvent } from '../pool-replay/pool-replay.fixture.ts'
import { createPoolState, type PoolState } from '../pool-replay/pool-state.ts'
import { trackFees } from '../pool-replay/track-fees.ts'
import { createRandom } from '../random/create-random.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { plainOptions } from './backtest.fixture.ts'
import { replayStrategies } from './replay-strategies.ts'
import { marketColumns } from './backtest-options.ts'
import { openPosition } from './open-position.ts'
import { recordTrade } from './record-trade.ts'

const startsAt = 1_700_000_400 - (1_700_000_400 % 3600)
const hours = 48
const terms = { feePips: 3000, tickSpacing: 60 }
const own = { tickLower: -600, tickUpper: 600 }

/** Two days of orders in a pool, a few every hour, the same whatever `liquidity` lies in the range besides. */
function traffic(liquidity = 0n): { readonly events: PoolEvent[]; readonly state: PoolState } {
  const random = createRandom(5)
  const state = createPoolState(terms)
  const events: PoolEvent[] = []
  const apply = (event: PoolEvent) => {
    applyPoolEvent(state, event)
    events.push(event)
  }
  apply({ eventName: 'Initialize', args: { sqrtPriceX96: 2n ** 96n, tick: 0 }, timestamp: startsAt })
  const mint = (range: { tickLower: number; tickUpper: number }, amount: bigint, owner: string) => {
    const event = mintEvent(state, { ...range, amount })
    apply({ ...event, args: { ...event.args, owner }, timestamp: startsAt })
  }
  mint({ tickLower: -6000, tickUpper: 6000 }, 10n ** 21n, 'others')
  mint({ tickLower: -1200, tickUpper: 360 }, 10n ** 21n, 'others')
  if (liquidity > 0n) mint(own, liquidity, 'me')
  for (let at = 0; at < hours * 6; at++) {
    const timestamp = startsAt + at * 600 + 60
    const order = { zeroForOne: random.uniform() < 0.5, exactIn: true, timestamp }
    const amountSpecified = BigInt(Math.round(5e9 * Math.exp(random.normal()))) * 10n ** 9n
    events.push({ eventName: 'Swap', args: swapInPool(state, { ...order, amountSpecified }), timestamp })
  }
  return { events, state }
}

const span = { startsAt, endsAt: startsAt + hours * 3600 }
const tradeOf = (events: readonly PoolEvent[], from = span) =>
  recordTrade({ version: 'v3', state: createPoolState(terms), events }, from)

describe('fees counted swap by swap', () => {
  const { events } = traffic()
  const trade = tradeOf(events)
  const { start, swaps } = trade
  const bars = barsFromSwaps(swaps, { barSeconds: 3600, ...span, start, feePips: terms.feePips })
  const strategies = [
    { name: 'still', rangePct: 4, rebalanceThresholdPct: null },
    { name: 'moved', rangePct: 1, rebalanceThresholdPct: 20 },
  ]
  const options = { ...plainOptions, ...terms, startValueUsd: 1e-3 }
  const replayed = (more: object) => replayStrategies(bars, strategies, { ...options, ...more }).strategies

  test('are what the position takes of each payment from the bar after its mint on, to the unit', () => {
    const [still] = replayed({ resolution: 'swap', trade })
    const { tickLower, tickUpper } = still!.firstRange
    const { sqrtPrice, usd0, usd1 } = marketColumns(bars, options)
    const usd = { usd0: usd0[0]!, usd1: usd1[0]! }
    const opened = openPosition({ tickLower, tickUpper }, options.startValueUsd, sqrtPrice[0]!, usd)
    const liquidity = BigInt(Math.floor(opened.liquidity))
    const tracker = trackFees({ tickLower, tickUpper, liquidity, isInPool: false })
    for (const payment of trade.payments) if (payment.timestamp >= startsAt + 3600) tracker.pay(payment)
    const { fees0, fees1 } = still!.bySwap!
    expect({ amount0: fees0, amount1: fees1 }).toEqual(tracker.fees())
    expect(fees0).toBeGreaterThan(10n ** 9n)
    expect(still!.feesEarned0 / Number(fees0)).toBeCloseTo(1, 9)
  })

  test('stand beside what bars say of the same positions', () => {
    const byBars = replayed({})
    const bySwaps = replayed({ resolution: 'swap', trade })
    expect(byBars.map((one) => one.bySwap)).toEqual([null, null])
    const [still, moved] = bySwaps
    expect(still!.bySwap!.feesByBarsUsd).toBeCloseTo(byBars[0]!.feesEarnedUsd, 12)
    expect(moved!.rebalances.length).toBeGreaterThan(0)
    for (const { bySwap, feesEarnedUsd, feeUncertaintyPct } of bySwaps) {
      expect(bySwap!.feesDifferenceUsd).toBeCloseTo(bySwap!.feesByBarsUsd - feesEarnedUsd, 12)
      expect(Math.abs(bySwap!.feesDifferencePct!)).toBeGreaterThan(1e-3)
      expect(feeUncertaintyPct).toBe(0)
    }
  })

  test('come near what the position had earned, had the same orders met it', () => {
    const liquidity = 10n ** 18n
    const truth = traffic(liquidity)
    const exact = trackFees({ ...own, liquidity, isInPool: true })
    const added = trackFees({ ...own, liquidity, isInPool: false })
    for (const payment of tradeOf(truth.events).payments) exact.pay(payment)
    for (const payment of trade.payments) added.pay(payment)
    const [is, was] = [exact.fees(), added.fees()]
    for (const token of ['amount0', 'amount1'] as const) {
      expect(Math.abs(Number(was[token]) / Number(is[token]) - 1)).toBeLessThan(2e-3)
    }
  })
})

describe('a position that is among the events', () => {
  test('is owed what its payments come to, to the unit', () => {
    const liquidity = 3n * 10n ** 20n
    const { events, state } = traffic(liquidity)
    const tracker = trackFees({ ...own, liquidity, isInPool: true })
    for (const payment of tradeOf(events).payments) tracker.pay(payment)
    const burn = { owner: 'me', ...own, amount: 0n, amount0: 0n, amount1: 0n }
    applyPoolEvent(state, { eventName: 'Burn', args: burn, timestamp: span.endsAt })
    const { tokensOwed0, tokensOwed1 } = state.positions.get('me:-600:600')!
    expect(tracker.fees()).toEqual({ amount0: tokensOwed0, amount1: tokensOwed1 })
  })

  test('is refused where swaps went through its bounds without a stop, or where the pool held less', () => {
    const { payments } = tradeOf(traffic().events)
    const payAll = (range: { tickLower: number; tickUpper: number }, liquidity: bigint) => () => {
      const tracker = trackFees({ ...range, liquidity, isInPool: true })
      for (const payment of payments) tracker.pay(payment)
    }
    const refusal = expect.objectContaining({ code: 'POOL_EVENTS_INCONSISTENT' })
    expect(payAll({ tickLower: -600, tickUpper: 1 }, 1n)).toThrow(refusal)
    expect(payAll({ tickLower: -6000, tickUpper: 6000 }, 10n ** 23n)).toThrow(refusal)
    expect(payAll({ tickLower: -6000, tickUpper: 6000 }, 10n ** 21n)).not.toThrow()
  })
})

test('the time in range is by the clock', () => {
  const state = createPoolState(terms)
  const events: PoolEvent[] = []
  const apply = (event: PoolEvent) => void (applyPoolEvent(state, event), events.push(event))
  apply({ eventName: 'Initialize', args: { sqrtPriceX96: 2n ** 96n, tick: 0 }, timestamp: startsAt })
  apply({ ...mintEvent(state, { tickLower: -6000, tickUpper: 6000, amount: 10n ** 18n }), timestamp: startsAt })
  const to = (tick: number, timestamp: number) => {
    const sqrtPriceLimitX96 = getSqrtPriceAtTick(tick)
    const zeroForOne = sqrtPriceLimitX96 < state.sqrtPriceX96
    const args = swapInPool(state, {
      zeroForOne,
      exactIn: true,
      amountSpecified: 2n ** 100n,
      sqrtPriceLimitX96,
      timestamp,
    })
    events.push({ eventName: 'Swap', args, timestamp })
  }
  // Out of a range of +/-2 % from the end of the first to that of the third quarter of the second hour.
  to(1, startsAt + 60)
  to(400, startsAt + 3600 + 900)
  to(2, startsAt + 3600 + 2700)
  const twoHours = { startsAt, endsAt: startsAt + 7200 }
  const trade = tradeOf(events, twoHours)
  const bars = barsFromSwaps(trade.swaps, { barSeconds: 3600, ...twoHours, start: trade.start, feePips: 3000 })
  const options = { ...plainOptions, ...terms, resolution: 'swap', trade } as const
  const [result] = replayStrategies(bars, [{ name: 'a', rangePct: 4, rebalanceThresholdPct: null }], options).strategies
  expect(result!.inRangePct).toBeCloseTo(50, 9)
})

describe('refused are', () => {
  const { events } = traffic()
  const trade = tradeOf(events)
  const bars = barsFromSwaps(trade.swaps, { barSeconds: 3600, ...span, start: trade.start, feePips: 3000 })
  const run = (more: object) => () =>
    replayStrategies(bars, [{ name: 'a', rangePct: 4, rebalanceThresholdPct: null }], { ...plainOptions, ...more })
  const refusal = (message: RegExp) =>
    expect.objectContaining({ code: 'BACKTEST_OPTION_OUT_OF_RANGE', message: expect.stringMatching(message) })

  test('a resolution without its trade, a trade without it, one of another time', () => {
    expect(run({ resolution: 'swap' })).toThrow(refusal(/^trade is given/))
    expect(run({ trade })).toThrow(refusal(/^trade is given/))
    expect(run({ resolution: 'tick', trade })).toThrow(refusal(/^resolution is/))
    const short = tradeOf(events, { startsAt: startsAt + 3600, endsAt: span.endsAt })
    expect(run({ resolution: 'swap', trade: short })).toThrow(refusal(/^trade spans/))
  })

  test('events that contradict each other, by their place', () => {
    const broken = events.toSpliced(10, 1)
    expect(() => tradeOf(broken)).toThrow(
      expect.objectContaining({ code: 'SWAP_LOGS_INCONSISTENT', message: expect.stringMatching(/^events\[10\]: /) }),
    )
    expect(() => tradeOf([])).toThrow(expect.objectContaining({ code: 'POOL_EVENTS_INCONSISTENT' }))
  })
})
