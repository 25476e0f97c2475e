import { expect, test, vi } from 'vitest'
import type { Pool } from '../../ports.ts'
import { barGrid } from './bar-grid.ts'
import { barsInPortions } from './bars-in-portions.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'
import { swapsThroughAGap } from './swaps-through-a-gap.fixture.ts'

const startsAt = 1_700_006_400
const { swaps } = swapsThroughAGap({ days: 20, startsAt, pushedTo: -200_000 })
const pool = { version: 'v3', fee: 3_000, tickSpacing: 60, protocolFee: 0 } as Pool
const end = startsAt + 20 * 86_400
const opening = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 24n }

test.each([
  ['hours', startsAt, end, 3_600, null],
  ['days, of which each ends in another portion than it began', startsAt, end, 86_400, null],
  ['hours after a state that is known', startsAt - 7_200, end, 3_600, opening],
  ['hours before which swaps were, and after which others are', startsAt + 500_000, end - 500_000, 3_600, null],
  ['one bar', startsAt, end, 20 * 86_400, null],
  ['hours before the first swap', startsAt - 86_400, startsAt - 3_600, 3_600, null],
  ['hours after the last', end + 86_400, end + 172_800, 3_600, null],
])('%s are the same as made at once, and let others in between', async (_, from, to, barSeconds, before) => {
  const grid = barGrid(from, to, barSeconds)
  let turns = 0
  const count = () => void ((turns += 1), (next = setImmediate(count)))
  let next = setImmediate(count)
  const traded = await barsInPortions(pool, swaps, grid, before).finally(() => clearImmediate(next))
  const atOnce = barsOfSwaps(pool, swaps, grid, before)
  expect(traded).toEqual(atOnce)
  const trades = atOnce.trades.reduce((sum, count) => sum + count, 0)
  expect(turns).toBeGreaterThanOrEqual(Math.ceil(trades / 100) - 1)
})

test('many portions are joined once, not again with each', async () => {
  const grid = barGrid(startsAt, end, 900)
  const often = Array.from({ length: 6_000 }, (_, index) =>
    Object.assign({}, swaps[index % swaps.length]!, { timestamp: startsAt + index * 288 }),
  )
  let allocated = 0
  class Counted extends Float64Array {
    constructor(...args: ConstructorParameters<typeof Float64Array>) {
      super(...args)
      allocated += this.length
    }
  }
  vi.stubGlobal('Float64Array', Counted)
  try {
    barsOfSwaps(pool, often, grid, null)
    const atOnce = allocated
    await barsInPortions(pool, often, grid, null)
    expect(allocated - atOnce).toBeLessThan(4 * atOnce)
  } finally {
    vi.unstubAllGlobals()
  }
})
