import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { createReadsBench } from '../../liquidity/reads-bench.fixture.ts'
import { barGrid } from './bar-columns.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'

const devnet = useDevnet({ history: true })

test.each(['v3', 'v4'] as const)(
  'fee growth of the bars of a %s pool is what the pool itself counted',
  async (version) => {
    const { reads, chain } = createReadsBench(devnet())
    const { id } = devnet().pools.find((pool) => pool.version === version && pool.fee === 500)!
    const pool = await reads.pool(chain, { version, id })
    const now = Math.floor(Date.now() / 1000)
    const { swaps } = await reads.swaps(chain, pool, 0)
    const { bars, trades } = await barsOfSwaps(pool, swaps, barGrid(now - 40 * 86_400, now + 1, 3_600))
    const sum = (column: Float64Array) => column.reduce((total, value) => total + value, 0)
    expect(sum(trades)).toBe(swaps.length)
    expect(sum(bars.feeGrowth!.token0) / (Number(pool.feeGrowthGlobal0X128) / 2 ** 128)).toBeCloseTo(1, 6)
    expect(sum(bars.feeGrowth!.token1) / (Number(pool.feeGrowthGlobal1X128) / 2 ** 128)).toBeCloseTo(1, 6)
    const paid0 = swaps.reduce((total, { amount0 }) => total + (amount0 > 0n ? Number(amount0) : 0), 0)
    expect(sum(bars.amount0In) / paid0).toBeCloseTo(1, 12)
  },
)
