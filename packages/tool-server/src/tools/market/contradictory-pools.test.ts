import { expect, test } from 'vitest'
import { poolWorld } from '../analytics/pool-world.fixture.ts'
import { answerOf } from '../answer.fixture.ts'
import { searchPools } from './pools.ts'

test('a v4 pool whose ticks contradict its liquidity costs itself its size, and the others nothing', async () => {
  const world = poolWorld({ decimals: [18, 6], tick: 0, step: 30 })
  const wrapped = world.tokens.wrapped(world.chains.get('base'))
  const [pool] = await world.liquidity.findPools(world.chains.get('base'), wrapped, wrapped)
  const odd = `0x${'4'.repeat(64)}` as const
  const plain = `0x${'5'.repeat(64)}` as const
  const liquidity: typeof world.liquidity = {
    ...world.liquidity,
    findPools: async () => [odd, plain].map((id) => Object.assign({}, pool!, { version: 'v4', id })),
    ticks: async (_chain, { id }) =>
      id === plain ? [] : [{ tick: -60, liquidityGross: 1n, liquidityNet: -(2n ** 128n) }],
  }
  const tokens = {
    ...world.tokens,
    byAddress: async (_chain: unknown, address: `0x${string}`) => Object.assign({}, pool!.token0, { address }),
  }
  const answer = answerOf(
    await searchPools.handle({ chain: 'base', sort: 'tvl', limit: 10 }, { ...world, tokens, liquidity }),
  )
  const sizes = answer.list('items').map((item) => [item.text('poolAddress'), item.at('tvlUsd') === null])
  expect(sizes).toEqual([
    [plain, false],
    [odd, true],
  ])
  expect(answer.at('notes')).toContainEqual(expect.stringContaining('Of 1 pools it is not known'))
})
