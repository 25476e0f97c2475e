import { useDevnet } from '@svc/devnet/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createReadsBench } from './reads-bench.fixture.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

describe('findPools', () => {
  it('finds every pool of the pair in every version, deepest first, at one block, in both orders', async () => {
    const { reads, chain } = bench
    const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const pools = await reads.findPools(chain, weth, usdc)
    const expected = devnet().pools.filter(
      ({ token0, token1 }) => [token0, token1].toSorted().join() === [weth.address, usdc.address].toSorted().join(),
    )
    expect(pools.map(({ version, id }) => `${version} ${id}`).toSorted()).toEqual(
      expected.map(({ version, id }) => `${version} ${id}`).toSorted(),
    )
    expect(pools).toHaveLength(6)
    for (const [index, pool] of pools.slice(1).entries()) expect(pool.liquidity <= pools[index]!.liquidity).toBe(true)
    expect(new Set(pools.map(({ blockNumber }) => blockNumber)).size).toBe(1)
    expect(await reads.findPools(chain, usdc, weth)).toEqual(pools)
  })
})
