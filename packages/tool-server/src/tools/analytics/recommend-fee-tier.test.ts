import { toHex } from 'viem'
import { expect, test } from 'vitest'
import type { Pool } from '@svc/amm'
import { createRangeAnalyser } from '@svc/lp-math'
import { dailyTrade, wholeFee } from '../../analysis/fees/pool-trade.ts'
import { notionalUsd, readFeeTiers } from '../../analysis/fees/read-fee-tiers.ts'
import { readRangeMarket } from '../../analysis/range/read-range-market.ts'
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
      rpc: { ...world.rpc, client: () => ({ request: async () => toHex(10n ** 24n, { size: 32 }) }) as never },
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

test('expects of a range what optimize_lp_range does, where range, horizon and amount are the same', async () => {
  const world = poolWorld({ decimals: [18, 6], tick: 0, step: 30, liquidity: 10n ** 21n })
  const chain = world.chains.get('base')
  const wrapped = world.tokens.wrapped(chain)
  const [found] = await world.liquidity.findPools(chain, wrapped, wrapped)
  const { token0, token1 } = found!
  const pools = [found!, { ...found!, fee: 500, id: `0x${'5'.repeat(40)}` as const, tickSpacing: 10 }]
  // The one at 0.05 % is the busiest; the other trades ten times less and so looks ten times calmer.
  const history: typeof world.history = {
    async read(request) {
      const past = await world.history.read(request)
      const share = request.pool.fee === 500 ? 1 : 0.1
      const scaled = (column: Float64Array) => column.map((amount) => amount * share)
      const closeTick = past.bars.closeTick.map((tick) => tick * share)
      const bars = {
        ...past.bars,
        closeTick,
        amount0In: scaled(past.bars.amount0In),
        amount1In: scaled(past.bars.amount1In),
      }
      const terms = { ...wholeFee(request.pool), countedToken: 1, decimals: token1.decimals, gaps: 0 } as const
      const fees = dailyTrade(bars, terms).fees.flatMap((day) => Array.from({ length: 24 }, () => day / 24))
      return { ...past, bars, figures: { ...past.figures, feesUsd: Float64Array.from(fees) } }
    },
  }
  const request = async () => toHex(10n ** 24n, { size: 32 })
  const rpc = { ...world.rpc, client: () => ({ ...world.rpc.client(chain), request }) as never }
  const ports = { ...world, rpc, history }
  const nowMs = world.now()
  const { tiers } = await readFeeTiers(ports, { chain, pools, quote: token1, nowMs })
  const wish = { amountUsd: notionalUsd, years: 30 / 365, source: 'historical', nowMs } as const
  for (const { pool, score } of tiers) {
    const place = { chain, pool, token0, token1, pairPools: async () => pools }
    const { market } = await readRangeMarket(ports, place, wish)
    const { price, sigma } = market.model
    const deviations = 2 * sigma * Math.sqrt(wish.years)
    const bounds = { lower: price * Math.exp(-deviations), upper: price * Math.exp(deviations) }
    const { feeApr, lvrApr, netApr, gasApr } = createRangeAnalyser(market).analyse(bounds)
    expect(lvrApr / score.lvrApr).toBeCloseTo(1, 6)
    expect(feeApr / score.feeApr).toBeCloseTo(1, 3)
    expect((netApr + gasApr) / score.netApr).toBeCloseTo(1, 2)
  }
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
