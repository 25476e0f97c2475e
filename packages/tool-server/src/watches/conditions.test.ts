import type { Position } from '@svc/amm'
import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { firstState, judge, type Reading, type WatchConditions, type WatchState } from './conditions.ts'

const hour = 3_600
const liquidity = 10n ** 18n

/** Between ticks -1000 and 1000, at a tick. */
function positionAt(tick: number, more: Partial<Pick<Position, 'fees0' | 'fees1' | 'liquidity'>> = {}): Position {
  const sqrtPriceX96 = getSqrtPriceAtTick(tick)
  const [tickLower, tickUpper] = [-1_000, 1_000]
  const bounds = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)] as const
  const amounts = getAmountsForLiquidity(sqrtPriceX96, ...bounds, liquidity, false)
  const pool = { sqrtPriceX96, tick } as Position['pool']
  return { tickLower, tickUpper, liquidity, fees0: 0n, fees1: 0n, ...amounts, pool, ...more } as Position
}

const nothing: WatchConditions = {
  outOfRange: false,
  ilPct: null,
  feeDropPct: null,
  feesWaitingPct: null,
  limitPct: null,
  paysWithinDays: 30,
}

/** One watch, looked at again and again; gives what each look told. */
function watching(conditions: Partial<WatchConditions>) {
  let state: WatchState = firstState(positionAt(0))
  let at = 1_000_000
  return {
    state: () => state,
    look: (reading: Partial<Reading>, seconds = 60) => {
      at += seconds
      const asked = { position: positionAt(0), limitPct: null, at, ...reading }
      const judgement = judge({ conditions: { ...nothing, ...conditions }, state }, asked)
      if (judgement.isChanged) state = judgement.state
      return judgement.found.map(({ kind }) => kind)
    },
  }
}

describe('a watch', () => {
  test('tells once that the price has left the range, and again only after it was well inside', () => {
    const { look } = watching({ outOfRange: true })
    const at = (tick: number) => look({ position: positionAt(tick) })
    expect([at(0), at(999), at(1_000), at(1_500), at(950), at(1_001)]).toEqual([[], [], ['out_of_range'], [], [], []])
    expect([at(899), at(-1_001), at(-1_002)]).toEqual([[], ['out_of_range'], []])
  })

  test('tells what held when it began', () => {
    expect(watching({ outOfRange: true }).look({ position: positionAt(2_000) })).toEqual(['out_of_range'])
  })

  test('tells of a loss against holding since it began, once for each crossing of the threshold', () => {
    const { look, state } = watching({ ilPct: 1 })
    const at = (tick: number) => look({ position: positionAt(tick) }, hour)
    expect([at(0), at(400), at(800), at(810)]).toEqual([[], [], ['il'], []])
    // Held out of the whole-number amounts of the contracts.
    const [start, end] = [positionAt(0), positionAt(810)]
    const price = 1.0001 ** 810
    const worth = ({ amount0, amount1 }: Position) => Number(amount0) * price + Number(amount1)
    expect(state().measured?.ilPct).toBeCloseTo(100 * (1 - worth(end) / worth(start)), 3)
    expect([at(760), at(805), at(500), at(900)]).toEqual([[], [], [], ['il']])
  })

  test('tells of fees that wait, and again after they were collected', () => {
    const { look } = watching({ feesWaitingPct: 2 })
    const worth = positionAt(0).amount0 + positionAt(0).amount1
    const waiting = (perMille: bigint) => look({ position: positionAt(0, { fees0: (worth * perMille) / 1000n }) })
    expect([waiting(19n), waiting(21n), waiting(40n), waiting(0n), waiting(21n)]).toEqual([
      [],
      ['fees_waiting'],
      [],
      [],
      ['fees_waiting'],
    ])
  })

  test('tells of a limit that is used up to a share', () => {
    const { look } = watching({ limitPct: 80 })
    const used = (limitPct: number | null) => look({ limitPct })
    expect([used(79.9), used(80), used(95), used(70), used(null), used(80), used(63), used(80)]).toEqual([
      [],
      ['limit'],
      [],
      [],
      [],
      [],
      [],
      ['limit'],
    ])
  })

  test('tells of fees that dropped against those of the week, not within its first two days, whatever is collected', () => {
    const { look, state } = watching({ feeDropPct: 50 })
    let fees0 = 0n
    const hours = (count: number, earned: bigint) =>
      Array.from({ length: count }, (_, index) => {
        fees0 = index === count - 5 ? 0n : fees0 + earned
        return look({ position: positionAt(0, { fees0 }) }, hour)
      }).flat()
    expect(hours(1, 0n)).toEqual([])
    expect(hours(47, 10n ** 12n)).toEqual([])
    expect(state().measured?.feeDropPct).toBeNull()
    expect(hours(120, 10n ** 12n)).toEqual([])
    expect(state().measured?.feeDropPct).toBe(0)
    // The short average forgets within a day: after one without trades the drop is there, once.
    expect(hours(12, 0n)).toEqual([])
    expect(hours(24, 0n)).toEqual(['fee_drop'])
    expect(hours(24, 0n)).toEqual([])
    // e^(-t) against e^(-t/7) of the week, which has not lived for long.
    expect(state().measured?.feeDropPct).toBeGreaterThan(80)
    expect(hours(72, 10n ** 12n)).toEqual([])
    expect(hours(60, 0n)).toEqual(['fee_drop'])
  })

  test('takes what is added or collected for no earnings and no drop', () => {
    const { look, state } = watching({ feeDropPct: 10 })
    look({ position: positionAt(0) }, hour)
    look({ position: positionAt(0, { fees0: 10n ** 12n }) }, hour)
    const { fast } = state().fees!
    look({ position: positionAt(0, { fees0: 9n * 10n ** 15n, liquidity: liquidity * 2n }) }, hour)
    look({ position: positionAt(0, { fees0: 0n, liquidity: liquidity * 2n }) }, hour)
    expect(state().fees).toMatchObject({ fast, fees0: '0' })
  })

  test('ends with its position: at once where nothing is in it, after three looks where it is not there', () => {
    const { look } = watching({ outOfRange: true })
    expect([look({ position: null }), look({ position: null }), look({})]).toEqual([[], [], []])
    expect([look({ position: null }), look({ position: null }), look({ position: null })]).toEqual([[], [], ['closed']])
    expect(watching({}).look({ position: positionAt(5_000, { liquidity: 0n }) })).toEqual(['closed'])
  })

  test('asks to be kept where something is to be remembered, and once an hour', () => {
    const { look, state } = watching({ outOfRange: true })
    look({})
    const first = state().measured?.at
    look({}, 1_800)
    expect(state().measured?.at).toBe(first)
    look({}, 1_800)
    expect(state().measured?.at).toBe(Number(first) + hour)
  })
})
