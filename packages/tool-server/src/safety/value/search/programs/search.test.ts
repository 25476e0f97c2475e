import { expect, it } from 'vitest'
import { dailyLossUsd } from '../guards/operator-policy.fixture.ts'
import { createOperatorGuard, createServerGuard, serverLook } from '../guards/server-guard.fixture.ts'
import { outsidePrices, type SimPrices, spotPrices } from '../guards/sim-prices.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import { earnedOfOwner, multipleOfProgram, search } from './search.fixture.ts'

const searched = (programs: number, pricesOf: (world: SimWorld) => SimPrices) =>
  search({
    seed: 1,
    programs,
    climbs: programs / 2,
    scenarios: 20,
    createGuard: (world) => createOperatorGuard(world, pricesOf(world)),
    look: spotPrices,
  })

it('finds what there is to lose where prices of the moment are believed', () => {
  const found = searched(200, () => spotPrices)
  expect(found.worstLossUsd).toBeGreaterThan(2_500)
  expect(found.worst.filter((result) => multipleOfProgram(result) > 2).length).toBeGreaterThan(5)
})

it('finds nothing beyond what the rules allow where the prices outside are known', () => {
  const found = searched(80, ({ market }) => outsidePrices(market))
  expect(found.mined).toBeGreaterThan(50)
  expect(found.worst.map(multipleOfProgram).filter((multiple) => multiple > 1)).toEqual([])
})

// A tenth of `npm run bench -- value`.
it('G13: 300 attacker programs cost the owner no more than the policy lets a call, or a day, lose', () => {
  const found = search({
    seed: 1,
    programs: 200,
    climbs: 100,
    scenarios: 20,
    createGuard: createServerGuard,
    look: serverLook,
  })
  expect(found).toMatchObject({ programs: 300 })
  expect(found.mined).toBeGreaterThan(200)
  expect(found.worst.filter((result) => multipleOfProgram(result) > 1)).toEqual([])
  expect(found.worstLossUsd).toBeLessThanOrEqual(dailyLossUsd)
  expect(Math.max(0, ...found.dearest.map(earnedOfOwner))).toBeLessThanOrEqual(dailyLossUsd)
})

it('finds the same again', () => {
  const options = { seed: 5, programs: 10, climbs: 10, scenarios: 3, createGuard: createServerGuard, look: serverLook }
  expect(search(options)).toEqual(search(options))
})
