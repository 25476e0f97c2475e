import { expect, it } from 'vitest'
import { dailyLossUsd } from '../guards/operator-policy.fixture.ts'
import { createOperatorGuard, createServerGuard, serverLook } from '../guards/server-guard.fixture.ts'
import { outsidePrices, type SimPrices, spotPrices } from '../guards/sim-prices.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import { beyondPerDollar, earnedOfOwner, multipleOfProgram } from './score-program.fixture.ts'
import { search } from './search.fixture.ts'

const searched = (size: { readonly programs: number; readonly climbs: number }, pricesOf: PricesOf) =>
  search({
    seed: 1,
    ...size,
    scenarios: 10,
    createGuard: (world) => createOperatorGuard(world, pricesOf(world)),
    look: spotPrices,
  })

type PricesOf = (world: SimWorld) => SimPrices

it('finds what there is to lose where prices of the moment are believed', () => {
  const found = searched({ programs: 150, climbs: 100 }, () => spotPrices)
  expect(found.worstLossUsd).toBeGreaterThan(2_500)
  expect(multipleOfProgram(found.worst[0]!)).toBeGreaterThan(5)
  expect(beyondPerDollar(found.cheapest[0]!)).toBeGreaterThan(1)
})

it('finds nothing beyond what the rules allow where the prices outside are known', () => {
  const found = searched({ programs: 60, climbs: 30 }, ({ market }) => outsidePrices(market))
  expect(found.mined).toBeGreaterThan(50)
  expect(found.worst.map(multipleOfProgram).filter((multiple) => multiple > 1)).toEqual([])
})

// A tenth of `npm run bench -- value`.
it('G13: 300 attacker programs cost the owner no more than the policy lets a call, or a day, lose', () => {
  const found = search({
    seed: 1,
    programs: 200,
    climbs: 100,
    scenarios: 10,
    createGuard: createServerGuard,
    look: serverLook,
  })
  expect(found).toMatchObject({ programs: 300 })
  expect(found.mined).toBeGreaterThan(200)
  expect(found.worst.filter((result) => multipleOfProgram(result) > 1)).toEqual([])
  expect(found.worstLossUsd).toBeLessThanOrEqual(dailyLossUsd)
  expect(Math.max(0, ...found.dearest.map(earnedOfOwner))).toBeLessThanOrEqual(dailyLossUsd)
})

it('G13: what known attacks cost the owner beyond that costs the attacker many times as much', () => {
  const found = search({
    seed: 1,
    known: 1,
    programs: 0,
    climbs: 60,
    scenarios: 1,
    createGuard: createServerGuard,
    look: serverLook,
  })
  expect(found.programs).toBeGreaterThan(100)
  expect(found.cheapest.filter((result) => beyondPerDollar(result) > 0.1)).toEqual([])
  expect(found.worstLossUsd).toBeLessThanOrEqual(dailyLossUsd)
})

it('knows attacks that work where prices of the moment are believed', () => {
  const createGuard = (world: SimWorld) => createOperatorGuard(world, spotPrices)
  const found = search({ seed: 1, known: 1, programs: 0, climbs: 0, scenarios: 1, createGuard, look: spotPrices })
  expect(beyondPerDollar(found.cheapest[0]!)).toBeGreaterThan(1)
})

it('finds the same again', () => {
  const options = { seed: 5, programs: 10, climbs: 10, scenarios: 3, createGuard: createServerGuard, look: serverLook }
  expect(search(options)).toEqual(search(options))
})
