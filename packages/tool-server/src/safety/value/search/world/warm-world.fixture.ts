import { buildWorld } from './build-world.fixture.ts'
import { createScenario, type Scenario } from './scenario.fixture.ts'
import { closeBlock, wait, waitFar } from './blocks.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'
import type { SimWorld } from './sim-world.fixture.ts'
import { viewOf, type WorldView } from './world-view.fixture.ts'

/** The world of a scenario after hours of ordinary trade, in which the server may have looked at prices now and then. */
export function warmWorld(seed: number, look: Look, scenario: Scenario = createScenario(seed)): SimWorld {
  const world = buildWorld(scenario)
  if (scenario.seenBefore) {
    for (const hours of hoursBetweenLooks) {
      waitFar(world, hours * 3600, farStrideSeconds)
      lookAt(world, look)
    }
  }
  waitFar(world, 3600, strideSeconds)
  lookAt(world, scenario.seenBefore ? look : () => null)
  wait(world, 1500)
  return world
}

/** What a server reads of some tokens and keeps in mind. */
export type Look = (view: WorldView, tokens: readonly SimToken[]) => unknown

/** Reads every price at the head, as a server does for a call. */
export function lookAt(world: SimWorld, look: Look): void {
  closeBlock(world)
  look(
    viewOf(world),
    world.scenario.tokens.map(({ token }) => token),
  )
}

const hoursBetweenLooks = [2, 9, 6]
const farStrideSeconds = 300
const strideSeconds = 60
