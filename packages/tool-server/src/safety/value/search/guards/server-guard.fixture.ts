import { parsePolicy } from '../../../policy.ts'
import type { Look } from '../world/warm-world.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import type { Guard } from './guard.fixture.ts'
import { namedPrices } from './named-prices.fixture.ts'
import type { SimPrices } from './sim-prices.fixture.ts'
import { createValueGuard } from './value-guard.fixture.ts'

/** The server's own rules over its own prices, with the policy of the world's operator. */
export function createServerGuard(world: SimWorld): Guard {
  return createOperatorGuard(world, namedPrices)
}

/** How the server looks at prices and remembers them. */
export const serverLook: Look = namedPrices

/** The server's own rules over other prices. */
export function createOperatorGuard(world: SimWorld, prices: SimPrices): Guard {
  return createValueGuard(world.scenario.strict ? strictPolicy : lenientPolicy, prices)
}

/** Of any 24 hours, in US dollars. */
export const dailyLimitUsd = 300_000
/** As the policy has it where it says nothing else: 2 % of the daily limit. */
export const dailyLossUsd = dailyLimitUsd / 50

const limitsUsd = { perTransaction: '100000', perSession: `${dailyLimitUsd}`, daily: `${dailyLimitUsd}` }
const lenientPolicy = parsePolicy({ limitsUsd, allowlist: { mode: 'lenient' } }, { production: false })
const strictPolicy = parsePolicy({ limitsUsd, allowlist: { mode: 'strict' } }, { production: false })
