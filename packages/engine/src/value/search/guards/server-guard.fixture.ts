import type { Look } from '../world/warm-world.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import type { Guard } from './guard.fixture.ts'
import { namedPrices } from './named-prices.fixture.ts'
import { lenientPolicy, strictPolicy } from './operator-policy.fixture.ts'
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
