import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let world: World

beforeAll(async () => {
  world = await openWorld(devnet(), { isClockHeld: true })
})
afterAll(async () => {
  await world.close()
})

const recommend = (token0: string, token1: string) => world.call('recommend_fee_tier', { token0, token1 })
const tiersOf = (answer: Answer) => answer.list('analysis.volumeDistribution')

describe('recommend_fee_tier', () => {
  test('compares the tiers of a pair on what they traded, and takes the one that nets most', async () => {
    const answer = await recommend('WETH', 'USDC')
    const tiers = tiersOf(answer)
    expect(answer.data).toMatchObject({
      pair: 'WETH/USDC',
      analysis: {
        pairVolatility: { classification: 'MODERATE', annualized: expect.any(Number), note: expect.any(String) },
        competitiveLandscape: { otherDexVolumePct: null, note: expect.any(String) },
      },
    })
    // A year's volatility between 30 and 80 %, which is what MODERATE says.
    expect(Math.abs(answer.number('analysis.pairVolatility.annualized') - 0.55)).toBeLessThan(0.25)
    expect(tiers.map((tier) => [tier.number('feeTier'), tier.text('version')])).toEqual([
      [100, 'v3'],
      [500, 'v3'],
      [3000, 'v3'],
      [10_000, 'v3'],
    ])
    const column = (name: string) => tiers.map((tier) => tier.number(name))
    expect(column('volumePct').reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 3)
    expect(column('daysKnown').every((days) => days >= 28)).toBe(true)
    const best = column('netApr').indexOf(Math.max(...column('netApr')))
    expect(answer.number('recommendation.feeTier')).toBe(column('feeTier')[best])
    // The pool with the most volume by far does not pay the most.
    expect(column('volumePct').indexOf(Math.max(...column('volumePct')))).not.toBe(best)
    // The higher the fee, the less of the loss arbitrageurs keep.
    expect(column('arbitrageLossApr')).toEqual(column('arbitrageLossApr').toSorted((a, b) => b - a))
    // What leads, and by how much more than the errors of both explain.
    const others = column('netApr')
      .toSorted((a, b) => b - a)
      .slice(1)
    const lead = answer.number('recommendation.leadApr')
    const errors = answer.number('recommendation.leadErrorsApr')
    const leads = (lead > errors ? others.slice(0, 1) : others).map((other) => column('netApr')[best]! - other)
    expect(leads).toContainEqual(expect.closeTo(lead, 3))
    expect(answer.at('recommendation.isLeadClear')).toBe(lead > errors)
    expect(answer.text('recommendation.reason')).toContain(lead > errors ? 'more than the errors' : 'not distinguished')
    expect(answer.number('analysis.pairVolatility.standardError')).toBeGreaterThan(0)
    for (const tier of tiers) {
      const ofFees =
        (tier.number('marginalFeeApr') * (1 - tier.number('quietDaysPct') / 100) * tier.number('feeUncertaintyPct')) /
        100
      expect(tier.number('netAprError')).toBeGreaterThan(ofFees)
      expect(ofFees).toBeGreaterThan(0)
    }
    const pools = await world.call('get_pools_by_token_pair', { token0: 'WETH', token1: 'USDC', version: 'v3' })
    for (const tier of tiers) {
      const pool = pools.list('items').find((item) => item.number('fee') === tier.number('feeTier'))!
      expect(tier.number('tvlUsd') / pool.number('tvlUsd')).toBeCloseTo(1, 5)
      // The one counts each trade at the price of its hour and what came in, the other at today's.
      expect(Math.abs(tier.number('feeApy7d') / pool.number('feeApr7d') - 1)).toBeLessThan(0.15)
    }
  })

  test('says the same whichever token comes first, also where neither is worth a dollar', async () => {
    for (const [one, other] of [
      ['WETH', 'USDC'],
      ['WBTC', 'WETH'],
    ] as const) {
      const [straight, turned] = [await recommend(one, other), await recommend(other, one)]
      expect(turned.text('pair')).toBe(`${other}/${one}`)
      expect(turned.at('recommendation')).toEqual(straight.at('recommendation'))
      expect(turned.at('analysis.pairVolatility')).toEqual(straight.at('analysis.pairVolatility'))
      const netOf = (answer: Answer) => tiersOf(answer).map((tier) => tier.number('netApr'))
      for (const [index, net] of netOf(turned).entries()) expect(net).toBeCloseTo(netOf(straight)[index]!, 3)
    }
  })

  test('has nothing to compare where there is one tier, and nothing to say where there is none', async () => {
    const stable = await recommend('USDC', 'USDT')
    expect(stable.at('recommendation')).toMatchObject({ feeTier: 100, confidence: 'LOW' })
    expect(stable.text('recommendation.reason')).toMatch(
      /^It is the only tier .* that is compared: nothing to compare with/,
    )
    expect(stable.text('analysis.competitiveLandscape.note')).toMatch(
      / 1 more pool of this pair here .* is not compared\.$/,
    )
    expect(stable.text('analysis.pairVolatility.classification')).toBe('STABLE')
    const unpriced = await recommend(world.address('HOSTILE'), 'USDC')
    expect(stable.at('recommendation')).toMatchObject({ leadApr: null, leadErrorsApr: null, isLeadClear: null })
    expect(tiersOf(unpriced)[0]!.data).toMatchObject({ feeTier: 10_000, tvlUsd: null, feeApy7d: null })
    const refusalOf = (token0: string, token1: string) => world.refuse('recommend_fee_tier', { token0, token1 })
    expect((await refusalOf('WBTC', 'USDT')).code).toBe('NO_POOLS')
    expect(await refusalOf(world.address('FOT'), 'WETH')).toMatchObject({
      code: 'NO_POOLS',
      message: expect.stringContaining('known: v2'),
    })
    expect((await refusalOf('NOSUCH', 'WETH')).code).toBe('TOKEN_NOT_FOUND')
  })
})
