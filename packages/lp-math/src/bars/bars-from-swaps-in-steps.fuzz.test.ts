import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { feeGrowthFromSwaps, feeGrowthFromSwapsInSteps } from '../fees/fees.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { barsFromSwaps, barsFromSwapsInSteps, type TimedSwapLog } from './make-bars.ts'
import type { Bars } from './bars.ts'

const start = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 21n }
const barSeconds = 60

/** Up to 350 swaps, several steps of which may fall into one bar, and a number of bars that holds them all. */
const anyRun = fc
  .tuple(
    fc.array(
      fc.record({
        wait: fc.constantFrom(0, 0, 0, 1, 40, 150),
        tick: fc.integer({ min: -2_000, max: 2_000 }),
        amountIn: fc.bigInt({ min: 1n, max: 10n ** 20n }),
        liquidity: fc.constantFrom(0n, 7n, 10n ** 20n, 10n ** 21n),
      }),
      { maxLength: 350, size: 'max' },
    ),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([moves, spareBars]) => {
    let timestamp = 0
    let before = 0
    const swaps = moves.map(({ wait, tick, amountIn, liquidity }): TimedSwapLog => {
      timestamp += wait
      const [amount0, amount1] = tick < before ? [amountIn, -1n] : [-1n, amountIn]
      before = tick
      return { timestamp, amount0, amount1, sqrtPriceX96After: getSqrtPriceAtTick(tick), liquidity }
    })
    return { swaps, count: Math.floor(timestamp / barSeconds) + spareBars }
  })

const anyWhole = fc.nat(1_000_000)
const stateAfter = (swap: TimedSwapLog | undefined) =>
  swap === undefined ? start : { sqrtPriceX96: swap.sqrtPriceX96After, liquidity: swap.liquidity }

test('fee growth is that of the parts, wherever the swaps are split', () => {
  fc.assert(
    fc.property(anyRun, anyWhole, ({ swaps }, place) => {
      const split = place % (swaps.length + 1)
      const grown = (part: readonly TimedSwapLog[], before: typeof start) =>
        feeGrowthFromSwaps({ swaps: part, start: before, feePips: 3_000, tickLower: -600, tickUpper: 1_200 })
      const whole = grown(swaps, start)
      const parts = [grown(swaps.slice(0, split), start), grown(swaps.slice(split), stateAfter(swaps[split - 1]))]
      expect(whole.growth0X128).toBe(parts[0]!.growth0X128 + parts[1]!.growth0X128)
      expect(whole.growth1X128).toBe(parts[0]!.growth1X128 + parts[1]!.growth1X128)
    }),
    { numRuns: 50 },
  )
})

test('bars are those of the parts, at whichever bar the swaps are split', () => {
  fc.assert(
    fc.property(anyRun, anyWhole, ({ swaps, count }, place) => {
      const split = place % (count + 1)
      const options = { barSeconds, feePips: 3_000 }
      const early = swaps.filter(({ timestamp }) => timestamp < split * barSeconds)
      const parts = [
        ...(split > 0 ? [barsFromSwaps(early, { ...options, start, startsAt: 0, endsAt: split * barSeconds })] : []),
        ...(split < count
          ? [
              barsFromSwaps(swaps.slice(early.length), {
                ...options,
                start: stateAfter(early.at(-1)),
                startsAt: split * barSeconds,
                endsAt: count * barSeconds,
              }),
            ]
          : []),
      ]
      const whole = barsFromSwaps(swaps, { ...options, start, startsAt: 0, endsAt: count * barSeconds })
      const columns = ({ feeGrowth, ...rest }: Bars) =>
        [...Object.values(rest), feeGrowth!.token0, feeGrowth!.token1].filter((one) => one instanceof Float64Array)
      for (const [index, column] of columns(whole).entries()) {
        expect([...column]).toEqual(parts.flatMap((part) => Array.from(columns(part)[index]!)))
      }
    }),
    { numRuns: 50 },
  )
})

test('steps come to the same whatever is calculated between them, and none looks at more than 100 swaps', () => {
  fc.assert(
    fc.property(anyRun, fc.array(fc.nat(1), { minLength: 1 }), ({ swaps, count }, turns) => {
      const options = { barSeconds, start, startsAt: 0, endsAt: count * barSeconds, feePips: 3_000 }
      const growth = { swaps, start, feePips: 500, tickLower: -600, tickUpper: 1_200, boundByInput: true }
      const results: unknown[] = []
      const sizes: number[][] = [[], []]
      const follow = (of: number, steps: Iterator<number, unknown>) => () => {
        const step = steps.next()
        if (step.done === true) results[of] = step.value
        else sizes[of]!.push(step.value)
        return step.done === true
      }
      const waiting = [follow(0, barsFromSwapsInSteps(swaps, options)), follow(1, feeGrowthFromSwapsInSteps(growth))]
      for (let index = 0; waiting.length > 0; index += 1) {
        const next = turns[index % turns.length]! % waiting.length
        if (waiting[next]!()) waiting.splice(next, 1)
      }
      expect(results).toEqual([barsFromSwaps(swaps, options), feeGrowthFromSwaps(growth)])
      expect(Math.max(0, ...sizes.flat())).toBeLessThanOrEqual(100)
      // Grouped, measured, and twice for the fee growth; there once for the deepest and once for the way.
      const looks = sizes.map((each) => each.reduce((sum, size) => sum + size, 0))
      expect(looks).toEqual([4 * swaps.length, 2 * swaps.length])
    }),
    { numRuns: 50 },
  )
})
