import { expect, test } from 'vitest'
import { parsePolicy } from '../../../policy.ts'
import { search } from './search.fixture.ts'
import { outsidePrices, spotPrices } from '../guards/sim-prices.fixture.ts'
import { createValueGuard } from '../guards/value-guard.fixture.ts'

const policy = parsePolicy({ limitsUsd: { perTransaction: '100000', perSession: '300000', daily: '300000' } }, { production: false })

test('finds what is lost where prices of the moment are believed', () => {
  const t0 = performance.now()
  const found = search({ seed: 1, programs: 200, climbs: 50, scenarios: 20, createGuard: () => createValueGuard(policy, spotPrices) })
  console.log(performance.now() - t0, found.programs, found.calls, found.refused, found.mined)
  for (const { lossUsd, boundUsd, attackerUsd, calls } of found.worst.slice(0, 10)) console.log(lossUsd, boundUsd, attackerUsd, JSON.stringify(calls.map(({ call, fate, lossUsd }) => ({ ...call, fate, lossUsd }))))
})

test('outside', () => {
  const t0 = performance.now()
  const found = search({ seed: 1, programs: 200, climbs: 50, scenarios: 20, createGuard: (world) => createValueGuard(policy, outsidePrices(world.market)) })
  console.log(performance.now() - t0, found.programs, found.calls, found.refused, found.mined)
  for (const { lossUsd, boundUsd, attackerUsd, calls } of found.worst.slice(0, 10)) console.log(lossUsd, boundUsd, attackerUsd, JSON.stringify(calls.map(({ call, fate, lossUsd }) => ({ ...call, fate, lossUsd }))))
})
