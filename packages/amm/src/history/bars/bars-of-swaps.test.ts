import { getSqrtPriceAtTick, replayStrategies } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import type { Pool, SwapRecord } from '../../ports.ts'
import { turnsTaken } from '../../../../runtime/src/turns-taken.fixture.ts'
import { barGrid } from './bar-columns.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'
import { swapsThroughAGap } from '../swaps-through-a-gap.fixture.ts'

const pool: Pick<Pool, 'version' | 'protocolFee'> = { version: 'v2', protocolFee: 0 }
const bars = (swaps: readonly SwapRecord[], from: number, to: number) =>
  barsOfSwaps(pool as Pool, swaps, barGrid(from, to, 100))

function swap(timestamp: number, tick: number, amount0: bigint, amount1: bigint, liquidity = 1_000n): SwapRecord {
  const sqrtPriceX96 = getSqrtPriceAtTick(tick)
  return {
    blockNumber: 1n,
    logIndex: 0,
    transactionHash: '0x',
    timestamp,
    tick,
    amount0,
    amount1,
    liquidity,
    sqrtPriceX96,
    fee: 3_000,
  }
}

const ticks = (column: Float64Array) => [...column].map((tick) => Math.round(tick * 1e6) / 1e6)

describe('bars of swaps', () => {
  test('open where the last one closed, and hold still where nobody trades', async () => {
    const { bars: found, trades } = await bars(
      [swap(90, 5, 1n, -1n), swap(150, 30, -5n, 7n), swap(199, -10, 8n, -3n), swap(400, 2, -1n, 1n)],
      100,
      450,
    )
    expect([...found.startsAt]).toEqual([100, 200, 300, 400])
    expect(ticks(found.openTick)).toEqual([5, -10, -10, -10])
    expect(ticks(found.highTick)).toEqual([30, -10, -10, 2])
    expect(ticks(found.lowTick)).toEqual([-10, -10, -10, -10])
    expect(ticks(found.closeTick)).toEqual([-10, -10, -10, 2])
    expect([...found.amount0In]).toEqual([8, 0, 0, 0])
    expect([...found.amount1In]).toEqual([7, 0, 0, 1])
    expect([...trades]).toEqual([2, 0, 0, 1])
  })

  test('begin with the first swap where no earlier one tells the price', async () => {
    const { bars: found } = await bars([swap(250, 7, 1n, -1n)], 0, 300)
    expect([...found.startsAt]).toEqual([200])
    expect(ticks(found.openTick)).toEqual([7])
    expect((await bars([], 0, 300)).bars.startsAt).toHaveLength(0)
    expect((await bars([swap(300, 7, 1n, -1n)], 0, 300)).bars.startsAt).toHaveLength(0)
  })

  test('take the liquidity that the volume met', async () => {
    const { bars: found, fees1 } = await bars(
      [swap(0, 0, 0n, 0n), swap(10, 0, -1n, 300n), swap(20, 0, -1n, 100n, 200n)],
      0,
      100,
    )
    expect(found.liquidity[0]).toBeCloseTo(400 / (300 / 1_000 + 100 / 200), 9)
    expect(found.feeGrowth!.token1[0]).toBeCloseTo(0.003 * (300 / 1_000 + 100 / 200), 12)
    expect(fees1[0]).toBeCloseTo(1.2, 12)
  })

  test('of a swap without liquidity are finite', async () => {
    const { bars: found } = await bars([swap(0, 0, 0n, 0n, 0n), swap(10, 5, -1n, 300n, 0n)], 0, 100)
    expect([found.liquidity[0], found.feeGrowth!.token1[0], found.closeTick[0]]).toEqual([0, 0, expect.closeTo(5, 6)])
  })
})

describe('bars of swaps that passed prices without liquidity', () => {
  const startsAt = 1_700_006_400
  const days = 4
  const options = { feePips: 3_000, tickSpacing: 60, decimals0: 18, decimals1: 18, baseToken: 0, quoteUsd: 1 } as const
  /** Full range fees in dollars of 10,000, and what the growth that the pool counted brings such a position. */
  const feesOf = async (pushedTo: number | null, dust = 0n) => {
    const { swaps, counted } = swapsThroughAGap({ days, startsAt, pushedTo, dust })
    const v3 = { version: 'v3', fee: 3_000, protocolFee: 0 } as Pool
    const traded = await barsOfSwaps(v3, swaps, barGrid(startsAt, startsAt + days * 86_400, 3_600))
    const full = { name: 'full', rangePct: null, rebalanceThresholdPct: null }
    const gasUsd = { open: 0, close: 0, rebalance: 0 }
    const [result] = replayStrategies(traded.bars, [full], { startValueUsd: 10_000, gasUsd, ...options }).strategies
    const own = 5_000
    return { reported: result!.feesEarnedUsd, counted: (counted.token0 + counted.token1) * own, traded }
  }

  test.each([-40_000, -200_000])('earn by what was paid when it was pushed to tick %d', async (tick) => {
    const { reported, counted, traded } = await feesOf(tick)
    const quiet = await feesOf(null)
    expect(reported / counted).toBeGreaterThan(0.9)
    expect(reported / counted).toBeLessThan(1.05)
    expect([...traded.bound].reduce((sum, one) => sum + one, 0)).toBe(2 * days)
    expect([...quiet.traded.bound].every((one) => one === 0)).toBe(true)
  })

  test.each([-40_000, -200_000])('pay no dream where dust lies in the way to tick %d', async (tick) => {
    const { reported } = await feesOf(tick, 1n)
    expect(reported / (await feesOf(tick)).counted).toBeCloseTo(1, 1)
  })
})

describe('bars made in turns', () => {
  const startsAt = 1_700_006_400
  const days = 100
  const end = startsAt + days * 86_400
  const { swaps } = swapsThroughAGap({ days, startsAt, pushedTo: -200_000 })
  const v3 = { version: 'v3', fee: 3_000, tickSpacing: 60, protocolFee: 0 } as Pool
  const v2 = { ...v3, version: 'v2' } as Pool
  const known = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 24n }
  const grids = [
    barGrid(startsAt, end, 3_600),
    barGrid(startsAt - 86_400, end, 86_400),
    barGrid(startsAt + 500_000, end - 500_000, 3_600),
    { start: startsAt, count: 1, barSeconds: days * 86_400 },
    barGrid(startsAt - 86_400, startsAt - 3_600, 3_600),
    barGrid(end + 86_400, end + 172_800, 3_600),
  ]

  test('are the same with others made in between, and in a later span', async () => {
    const asked = grids.flatMap((grid) =>
      [v3, v2].flatMap((one) => [null, known].map((opening) => () => barsOfSwaps(one, swaps, grid, opening))),
    )
    const together = await Promise.all(asked.map((make) => make()))
    for (const [index, make] of asked.entries()) expect(together[index]).toEqual(await make())
    const [hours, , later] = await Promise.all(grids.map((grid) => barsOfSwaps(v3, swaps, grid, known)))
    const from = (500_000 - (500_000 % 3_600)) / 3_600
    const same = hours!.bars.closeTick.slice(from, from + later!.bars.closeTick.length)
    expect([...later!.bars.closeTick]).toEqual([...same])
  })

  test.each([
    ['hours', v3, grids[0]!, known, 6],
    ['one bar', v3, grids[3]!, known, 6],
    ['one bar of a pair', v2, grids[3]!, null, 6],
    ['none, of what was before', v3, grids[5]!, null, 1],
  ])('let others in after every 32 steps of 25 looks at a swap: %s', async (_, one, grid, opening, looks) => {
    const { turns } = await turnsTaken(() => barsOfSwaps(one, swaps, grid, opening))
    expect(turns).toBeGreaterThanOrEqual(Math.floor((looks * swaps.length) / 800))
  })
})
