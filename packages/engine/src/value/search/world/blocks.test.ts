import { describe, expect, it } from 'vitest'
import { attackerAdds, attackerCreates, attackerPushes } from '../programs/attacks.fixture.ts'
import { closeBlock, wait } from './blocks.fixture.ts'
import { buildWorld } from './build-world.fixture.ts'
import { outsideRawPrice } from './outside-market.fixture.ts'
import { createScenario, type Scenario } from './scenario.fixture.ts'
import { rawPriceOf } from './sim-pool.fixture.ts'
import type { SimWorld } from './sim-world.fixture.ts'
import { viewOf } from './world-view.fixture.ts'

/** Nothing moves but what a test moves. */
function stillScenario(change: Partial<Scenario> = {}): Scenario {
  const scenario = createScenario(3)
  const tokens = scenario.tokens.map((token) => ({ ...token, sigma: 0 }))
  return { ...scenario, tokens, blockSeconds: 12, pastBlocks: 128, tradeEverySeconds: Infinity, ...change }
}

function withOracles(cardinality: number): Scenario {
  const pools = stillScenario().pools.map((pool) => Object.assign(pool, { cardinality }))
  return stillScenario({ pools })
}

const offOutside = (world: SimWorld, name: string) => {
  const pool = world.pools.get(name)!
  return rawPriceOf(pool) / outsideRawPrice(world.market, pool)!
}

describe('the arbitrageur', () => {
  it.each([1, 2])(
    'has a pushed pool back within its fee of the market %s blocks later, not before',
    (arbitrageBlocks) => {
      const world = buildWorld(stillScenario({ arbitrageBlocks }))
      for (const pool of ['usdc-weth-v3-500', 'tkn-usdc-v2-3000']) {
        attackerPushes(world, { pool, factor: 1.02 })
        for (let block = 0; block < arbitrageBlocks; block += 1) {
          closeBlock(world)
          expect(offOutside(world, pool)).toBeCloseTo(1.02, 3)
        }
        closeBlock(world)
        expect(Math.abs(offOutside(world, pool) - 1)).toBeLessThan(0.0035)
      }
    },
  )

  it('leaves alone what stands one-sided where nobody can earn anything', () => {
    const world = buildWorld(stillScenario())
    attackerCreates(world, { do: 'create', version: 'v3', tokens: ['TKN', 'USDC'], fee: 500, factor: 0.01, usd: 0 })
    attackerAdds(world, { do: 'add', pool: 'own-0', usd: 30_000, below: 0.5, above: 0.99 })
    wait(world, 600)
    expect(offOutside(world, 'own-0')).toBeCloseTo(0.01, 4)
  })
})

describe('what the chain remembers', () => {
  it('is as many past blocks as the endpoint has, each as it ended', () => {
    const world = buildWorld(stillScenario())
    const pool = world.pools.get('usdc-weth-v3-500')!
    const before = rawPriceOf(pool)
    const pushedAt = world.block
    attackerPushes(world, { pool: pool.name, factor: 1.01 })
    wait(world, 60 * 12)
    const view = viewOf(world)
    const rawAt = (block: number) => (Number(view.readAt(pool, block)!.sqrtPriceX96) / 2 ** 96) ** 2
    expect(rawAt(pushedAt - 1)).toBeCloseTo(before, 12)
    expect(rawAt(pushedAt) / before).toBeCloseTo(1.01, 3)
    expect(view.readAt(pool, view.head.block - 129)).toBeNull()
    expect(viewOf({ ...world, scenario: { ...world.scenario, pastBlocks: 0 } }).readAt(pool, pushedAt)).toBeNull()
  })

  it('tells a mean that holds a push for as long as it stood, in v3 and in v2', () => {
    const world = buildWorld(withOracles(300))
    const [v3, v2] = [world.pools.get('usdc-weth-v3-500')!, world.pools.get('tkn-usdc-v2-3000')!]
    wait(world, 600)
    const start = world.block - 1
    for (const { name } of [v3, v2]) attackerPushes(world, { pool: name, factor: 1.1 })
    closeBlock(world)
    for (const { name } of [v3, v2]) attackerPushes(world, { pool: name, factor: 1 })
    wait(world, 588)
    const view = viewOf(world)
    const seconds = view.head.timestamp - view.readAt(v3, start)!.timestamp
    const pushed = view.readAt(v3, start + 1)!.tick - view.readAt(v3, start)!.tick
    expect(pushed).toBeGreaterThan(50)
    const mean = (view.observe(v3, 0)!.tickCumulative - view.observe(v3, seconds)!.tickCumulative) / BigInt(seconds)
    const tick = view.readAt(v3, start)!.tick
    expect(Number(mean) - tick).toBeCloseTo((pushed * 12) / seconds, -0.5)
    const [from, to] = [view.readAt(v2, start)!, view.readAt(v2, view.head.block)!]
    const grown = to.price0Cumulative - from.price0Cumulative
    const covered = BigInt(to.updatedAt - from.updatedAt)
    expect(Number(grown / covered) / 2 ** 112 / rawPriceOf(v2)).toBeCloseTo(1 + (0.1 * 12) / Number(covered), 2)
  })

  it('is lost to who stirs a small oracle', () => {
    const world = buildWorld(withOracles(10))
    const pool = world.pools.get('usdc-weth-v3-500')!
    wait(world, 1_800)
    expect(viewOf(world).observe(pool, 1_200)).not.toBeNull()
    for (let block = 0; block < 12; block += 1) {
      attackerPushes(world, { pool: pool.name, factor: block % 2 === 0 ? 1.0003 : 0.9997 })
      closeBlock(world)
    }
    expect(viewOf(world).observe(pool, 1_200)).toBeNull()
    expect(viewOf(world).observe(pool, 60)).not.toBeNull()
  })
})
