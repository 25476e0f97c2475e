import { toHex } from 'viem'
import { expect, test } from 'vitest'
import type { Pool } from '@svc/amm'
import { answerOf } from '../answer.fixture.ts'
import { describeRefusals } from '../refusals.fixture.ts'
import { poolWorld } from './pool-world.fixture.ts'
import { recommendFeeTier } from './recommend-fee-tier.ts'

describeRefusals(
  recommendFeeTier,
  { token0: 'WETH', token1: 'USDC', chain: 'base' },
  { token0: 'token', token1: 'token', chain: 'chain' },
)

test('says of each tier where its past is from', async () => {
  const world = poolWorld({ decimals: [18, 6], tick: 0, step: 30 })
  const wrapped = world.tokens.wrapped(world.chains.get('base'))
  const [pool] = await world.liquidity.findPools(world.chains.get('base'), wrapped, wrapped)
  const pools: readonly Pool[] = [{ ...pool!, fee: 500 }, pool!]
  const answer = await recommendFeeTier.handle(
    { token0: 'AAA', token1: 'BBB', chain: 'base' },
    {
      ...world,
      rpc: { ...world.rpc, client: () => ({ call: async () => ({ data: toHex(10n ** 24n, { size: 32 }) }) }) as never },
      liquidity: { ...world.liquidity, findPools: async () => pools },
      history: {
        async read(request) {
          const past = await world.history.read(request)
          return { ...past, source: request.pool.fee === 500 ? 'rpc' : 'subgraph' }
        },
      },
    },
  )
  const tiers = answerOf(answer).list('analysis.volumeDistribution')
  expect(tiers.map((tier) => [tier.number('feeTier'), tier.text('source')])).toEqual([
    [500, 'rpc'],
    [3_000, 'subgraph'],
  ])
})

test('of a v4 pool whose ticks contradict its liquidity says so, and compares it all the same', async () => {
  const world = poolWorld({ decimals: [18, 6], tick: 0, step: 30 })
  const wrapped = world.tokens.wrapped(world.chains.get('base'))
  const [pool] = await world.liquidity.findPools(world.chains.get('base'), wrapped, wrapped)
  const answer = answerOf(
    await recommendFeeTier.handle(
      { token0: 'AAA', token1: 'BBB', chain: 'base' },
      {
        ...world,
        liquidity: {
          ...world.liquidity,
          findPools: async () => [{ ...pool!, version: 'v4' }],
          ticks: async () => [{ tick: -60, liquidityGross: 1n, liquidityNet: -(2n ** 128n) }],
        },
      },
    ),
  )
  expect(answer.list('analysis.volumeDistribution')[0]?.at('tvlUsd')).toBeNull()
  expect(answer.at('notes')).toContainEqual(expect.stringContaining('its ticks contradict its liquidity'))
})
