import { useDevnet } from '@svc/devnet/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolKeyOf } from '../v4/pool-key.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

describe('ticks', () => {
  it.each(['v3', 'v4'] as const)(
    'of a %s pool carry the liquidity in range, and sum up to nothing',
    async (version) => {
      const { id } = devnet().pools.find((pool) => pool.version === version && pool.fee === 500)!
      const pool = await bench.reads.pool(bench.chain, { version, id })
      const ticks = await bench.reads.ticks(bench.chain, pool, -887_272, 887_272)
      expect(ticks.length).toBeGreaterThan(2)
      expect(ticks.map(({ tick }) => tick)).toEqual(ticks.map(({ tick }) => tick).toSorted((a, b) => a - b))
      const below = ticks.filter(({ tick }) => tick <= pool.tick)
      expect(sum(below.map(({ liquidityNet }) => liquidityNet))).toBe(pool.liquidity)
      expect(sum(ticks.map(({ liquidityNet }) => liquidityNet))).toBe(0n)
    },
  )

  it.each(['v3', 'v4'] as const)('of a %s pool show a new position at its very ends', async (version) => {
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    const { id } = devnet().pools.find((pool) => pool.version === version && pool.fee === 500)!
    const before = await bench.reads.pool(bench.chain, { version, id })
    const base = Math.floor(before.tick / 10) * 10
    const [tickLower, tickUpper] = [base - 2_570, base + 2_550]
    const liquidity = 10n ** 12n
    if (version === 'v4') await actor.mintV4(poolKeyOf(before), tickLower, tickUpper, liquidity)
    else await actor.mintV3({ ...mint(before), tickLower, tickUpper })
    const pool = await bench.reads.pool(bench.chain, { version, id })
    const known = await bench.reads.ticks(bench.chain, before, tickLower, tickUpper)
    const rows = await bench.reads.ticks(bench.chain, pool, tickLower, tickUpper)
    expect(rows.length).toBe(known.length + 2)
    expect(rows[0]).toMatchObject({ tick: tickLower, liquidityNet: rows[0]!.liquidityGross })
    expect(rows.at(-1)).toMatchObject({ tick: tickUpper, liquidityNet: -rows.at(-1)!.liquidityGross })
    expect(rows[0]!.liquidityNet).toBe(pool.liquidity - before.liquidity)
    const inside = await bench.reads.ticks(bench.chain, pool, tickLower + 1, tickUpper - 1)
    expect(inside).toEqual(rows.slice(1, -1))
    // Where the ends were not set yet, that they were since says nothing.
    expect(await bench.reads.ticks(bench.chain, before, tickLower, tickUpper)).toEqual(known)
  })

  it('of a v2 pair are none, and so are those of an empty range', async () => {
    const v2 = devnet().pools.find((pool) => pool.version === 'v2')!
    const pair = await bench.reads.pool(bench.chain, { version: 'v2', id: v2.id })
    await expect(bench.reads.ticks(bench.chain, pair, -100, 100)).resolves.toEqual([])
    const v3 = devnet().pools.find((pool) => pool.version === 'v3')!
    const pool = await bench.reads.pool(bench.chain, { version: 'v3', id: v3.id })
    await expect(bench.reads.ticks(bench.chain, pool, 100, -100)).resolves.toEqual([])
  })
})

function mint(pool: { token0: { address: `0x${string}`; decimals: number }; token1: typeof pool.token0; fee: number }) {
  return {
    token0: pool.token0.address,
    token1: pool.token1.address,
    fee: pool.fee,
    amount0Desired: 10n ** BigInt(pool.token0.decimals),
    amount1Desired: 10n ** BigInt(pool.token1.decimals),
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
