import { type Bars, getSqrtPriceAtTick } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import type { Pool, Position, SwapRecord, Token, UsdPrice } from '@svc/amm'
import type { Hash } from 'viem'
import type { PositionEvent } from '../../../../amm/src/ports.ts'
import { type PairPrices, positionPerformance, type PerformanceFacts } from './position-performance.ts'

const day = 86_400
const token = (decimals: number, usdPegged: boolean) =>
  ({ symbol: 'T', decimals, usdPegged }) as Partial<Token> as Token
const usd = (price: number) => ({ usd: price }) as Partial<UsdPrice> as UsdPrice
const event = (kind: PositionEvent['kind'], amount0: bigint, amount1: bigint, timestamp: number): PositionEvent => ({
  kind,
  amount0,
  amount1,
  timestamp,
  transactionHash: '0x',
  sqrtPriceX96: null,
})

const sqrtPriceAt = (price: number) => BigInt(Math.sqrt(price) * 2 ** 96)

/** Two days: the first at tick 0 all day, the second from 0 up to 200. Both tokens have six decimals, so tick 0 is a price of one. */
const bars: Bars = {
  barSeconds: day,
  startsAt: Float64Array.of(0, day),
  openTick: Float64Array.of(0, 0),
  lowTick: Float64Array.of(0, 0),
  highTick: Float64Array.of(0, 200),
  closeTick: Float64Array.of(0, 200),
  amount0In: new Float64Array(2),
  amount1In: new Float64Array(2),
  liquidity: new Float64Array(2),
  feeGrowth: null,
}

function facts(changes: Partial<PerformanceFacts> = {}, isPegged = true): PerformanceFacts {
  const pool = {
    token0: token(6, false),
    token1: token(6, isPegged),
    sqrtPriceX96: sqrtPriceAt(1.2),
  } as Partial<Pool> as Pool
  const position = { pool, tickLower: -100, tickUpper: 100, amount0: 40_000_000n, amount1: 50_000_000n }
  return {
    position: position as Partial<Position> as Position,
    events: [event('deposit', 100_000_000n, 100_000_000n, 0), event('withdrawal', 40_000_000n, 60_000_000n, day)],
    openedAt: 0,
    earned: { fees0: 1_000_000n, fees1: 2_000_000n },
    price0: usd(1.1),
    price1: usd(1),
    pricesThen: new Map(),
    bars,
    swaps: null,
    gasUsd: 3,
    now: 2 * day,
    ...changes,
  }
}

describe('the performance of a position', () => {
  test('is what it holds, took out and earned against holding what was put in', () => {
    const found = positionPerformance(facts())
    expect(found).toMatchObject({ valueUsd: 94, hodlUsd: 210, feesUsd: 3.1, deposited: [100_000_000n, 100_000_000n] })
    expect(found.ilUsd).toBeCloseTo(94 + 104 - 210, 6)
    expect(found.vsHodlPct).toBeCloseTo(((94 + 104 + 3.1 - 210) / 210) * 100, 3)
  })

  test('is a profit at the prices of the pool, those of a bar where the moment is not known, and says what that may be off', () => {
    // Put in at a price of one; taken out on the second day, which closed at tick 200; the pool now says 1.2, whatever others say.
    const received = 60 + 40 * 1.0001 ** 200
    const now = 50 + 40 * 1.2 + 2 + 1.2
    const found = positionPerformance(facts())
    expect(found.netPnlUsd).toBeCloseTo(now + received - 200 - 3, 5)
    expect(found.netPnlDoubtUsd).toBeCloseTo(40 * (1.0001 ** 200 - 1), 5)
  })

  test('is a profit that follows from the figures beside it, to the cent', () => {
    const { ilUsd, feesUsd, marketUsd, netPnlUsd } = positionPerformance(facts())
    expect(netPnlUsd).toBeCloseTo(ilUsd! + feesUsd! + marketUsd! - 3, 5)
    // 100 of each were put in at one dollar, 40 and 60 taken out at 1.0001 ** 200; today's price is 1.1, the pool's own 1.2.
    const before = 100 * (1.1 - 1) - 40 * (1.1 - 1.0001 ** 200)
    expect(marketUsd).toBeCloseTo(before + 41 * (1.2 - 1.1), 5)
    expect(positionPerformance(facts({ gasUsd: null }))).toMatchObject({ marketUsd, netPnlUsd: null })
    expect(positionPerformance(facts({ price0: null })).marketUsd).toBeNull()
  })

  test('takes no part of its profit from later trades of the hour or from another source of prices', () => {
    const at = { sqrtPriceX96: sqrtPriceAt(1.2) }
    const events = [{ ...event('deposit', 40_000_000n, 50_000_000n, day), ...at }]
    const found = positionPerformance(facts({ events, openedAt: day, earned: { fees0: 0n, fees1: 0n } }))
    expect([found.netPnlUsd, found.netPnlDoubtUsd]).toEqual([-3, 0])
    const mirrored = facts({ events, earned: { fees0: 0n, fees1: 0n } }, false)
    const { token0, token1, ...pool } = mirrored.position.pool
    const position = { ...mirrored.position, pool: { ...pool, token0: { ...token0, usdPegged: true }, token1 } }
    expect(positionPerformance({ ...mirrored, position }).netPnlUsd).toBe(-3)
  })

  test('is at the prices of the sources, then as now, however the pool was moved meanwhile', () => {
    const change = (kind: PositionEvent['kind'], hash: Hash, price: number) => ({
      ...event(kind, 100_000_000n, 100_000_000n, 0),
      transactionHash: hash,
      sqrtPriceX96: sqrtPriceAt(price),
    })
    const events = [change('deposit', '0x1', 1), change('withdrawal', '0x2', 1.2)]
    const closed = { events, earned: { fees0: 0n, fees1: 20_000n }, gasUsd: 2 }
    const base = facts(closed)
    const position = { ...base.position, amount0: 0n, amount1: 0n }
    const then = (price0: number) => ({ price0: usd(price0), price1: usd(1) })
    const still = new Map<Hash, PairPrices>([
      ['0x1', then(1.1)],
      ['0x2', then(1.1)],
    ])
    const found = positionPerformance({ ...base, position, pricesThen: still })
    expect(found).toMatchObject({ hodlUsd: 210, ilUsd: 0, marketUsd: 0, netPnlUsd: -1.98, isAtPoolPrices: false })
    const fallen = new Map<Hash, PairPrices>([
      ['0x1', then(1.3)],
      ['0x2', then(1.1)],
    ])
    expect(positionPerformance({ ...base, position, pricesThen: fallen })).toMatchObject({
      marketUsd: -20,
      netPnlUsd: -21.98,
    })
    const half = new Map<Hash, PairPrices>([['0x1', then(1.1)]])
    expect(positionPerformance({ ...base, position, pricesThen: half })).toMatchObject({ isAtPoolPrices: true })
  })

  test('is no annual rate within its first day', () => {
    expect(positionPerformance(facts({ now: day - 1 }))).toMatchObject({ feeApr: null, feesUsd: 3.1 })
    expect(positionPerformance(facts({ now: day })).feeApr).toBeGreaterThan(0)
  })

  test('earns on the capital that was at work, weighted by time', () => {
    const mean = (210 + (210 - 104)) / 2
    expect(positionPerformance(facts()).feeApr).toBeCloseTo((3.1 / mean) * (365 / 2) * 100, 3)
  })

  test('counts of a day the part of its move within the range', () => {
    expect(positionPerformance(facts()).timeInRangePct).toBe(75)
  })

  test('is in range to the second where every swap is known, whatever the bars say of the hour before it', () => {
    const at = (timestamp: number, tick: number) =>
      ({ timestamp, sqrtPriceX96: getSqrtPriceAtTick(tick) }) as unknown as SwapRecord
    const { position, openedAt } = facts()
    const { tickLower, tickUpper } = position
    const middle = Math.floor((tickLower + tickUpper) / 2)
    const from = openedAt!
    const of = (swaps: readonly SwapRecord[], events = facts().events) =>
      positionPerformance(facts({ swaps, events, now: from + 1_000 }))
    const [first, ...rest] = facts().events
    const opened = [{ ...first!, sqrtPriceX96: getSqrtPriceAtTick(middle) }, ...rest]
    expect(of([], opened)).toMatchObject({ timeInRangePct: 100, isTimeEstimated: false })
    // Out of the range from 250 seconds on, and in it again 100 seconds before the end.
    const trades = [at(from - 60, tickUpper + 9), at(from + 250, tickUpper), at(from + 900, tickUpper - 1)]
    expect(of(trades, opened)).toMatchObject({ timeInRangePct: 35, isTimeEstimated: false })
    // What the opening found is not known of itself: the swap before it tells.
    const unpriced = facts().events
    expect(of(trades, unpriced).timeInRangePct).toBe(10)
    expect(of([], unpriced)).toMatchObject({ timeInRangePct: 75, isTimeEstimated: true })
    expect(positionPerformance(facts({ swaps: null }))).toMatchObject({ timeInRangePct: 75, isTimeEstimated: true })
  })

  test('is unknown where its sources are', () => {
    const unpriced = positionPerformance(facts({ price0: null }))
    expect(unpriced).toMatchObject({
      valueUsd: null,
      hodlUsd: null,
      feesUsd: null,
      ilUsd: null,
      feeApr: null,
    })
    const late = positionPerformance(facts({ openedAt: null, earned: null, events: [] }))
    expect(late).toMatchObject({
      valueUsd: 94,
      hodlUsd: null,
      feesUsd: null,
      ilUsd: null,
      feeApr: null,
      netPnlUsd: null,
    })
    expect(positionPerformance(facts({ bars: null }))).toMatchObject({
      timeInRangePct: null,
      netPnlUsd: null,
      feesUsd: 3.1,
    })
    expect(positionPerformance(facts({ gasUsd: null }))).toMatchObject({ netPnlUsd: null, feesUsd: 3.1 })
    expect(positionPerformance(facts({}, false))).toMatchObject({ netPnlUsd: null, feesUsd: 3.1 })
  })
})
