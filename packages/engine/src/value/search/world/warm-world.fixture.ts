import { buildWorld } from './build-world.fixture.ts'
import { createScenario, type Scenario } from './scenario.fixture.ts'
import { closeBlock, wait, waitFar } from './blocks.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'
import { quotedMarket } from './outside-market.fixture.ts'
import { note, type SimWorld } from './sim-world.fixture.ts'
import { viewOf, type WorldView } from './world-view.fixture.ts'

/** The world of a scenario after hours of ordinary trade, in which the server may have looked at prices now and then. */
export function warmWorld(seed: number, look: Look, scenario: Scenario = createScenario(seed)): SimWorld {
  const world = agedWorld(scenario, look)
  passRecentTime(world, look)
  return world
}

/** Up to what a price of the present still rests on. */
export function agedWorld(scenario: Scenario, look: Look): SimWorld {
  const world = buildWorld(scenario)
  for (const hours of scenario.seenBefore ? hoursBetweenLooks : []) {
    waitFar(world, hours * 3600, farStrideSeconds)
    lookAt(world, look)
  }
  waitFar(world, 3000, strideSeconds)
  return world
}

/** The 35 minutes that means are made of. */
export function passRecentTime(world: SimWorld, look: Look): void {
  waitFar(world, 600, strideSeconds)
  if (world.scenario.seenBefore) lookAt(world, look)
  else closeBlock(world)
  wait(world, 1500)
}

/** What a server reads of some tokens and keeps in mind. */
export type Look = (view: WorldView, tokens: readonly SimToken[]) => unknown

/** Reads every price at the head, as a server does for a call. */
export function lookAt(world: SimWorld, look: Look): void {
  closeBlock(world)
  note(world, () => ({ who: 'agent', what: 'look', pool: '', amounts: {}, market: quotedMarket(world.market) }))
  look(
    viewOf(world),
    world.scenario.tokens.map(({ token }) => token),
  )
}

const hoursBetweenLooks = [2, 9, 6]
const farStrideSeconds = 300
const strideSeconds = 60
