import { createRandom } from '@svc/lp-math'
import { anyAction, anyCall, anyPool, type Draw, pushOf } from './draw-action.fixture.ts'
import { chance, whole } from './draws.fixture.ts'
import type { Action, Program } from './program.fixture.ts'
import { createScenario } from './scenario.fixture.ts'

/**
 * The program of a seed: up to thirty actions. Some are drawn without regard to each other; around most calls of the agent stand what an
 * attack is made of: a push before the decision, one between it and the block, the way back after.
 *
 * @param scenarios how many scenarios there are to choose from
 */
export function randomProgram(seed: number, scenarios: number): Program {
  const random = createRandom(seed, 3)
  const scenario = whole(random, 0, scenarios - 1)
  const draw = drawOf(seed, scenario)
  const actions = some(draw, 12)
  const calls = whole(random, 1, 4)
  for (let count = 0; count < calls; count += 1) actions.push(...attackOn(draw))
  return { scenario, seed, lineage: seed, actions: actions.slice(-mostActions) }
}

/** What actions of a scenario are drawn from. */
export function drawOf(seed: number, scenario: number): Draw {
  const random = createRandom(seed, 4)
  const { pools } = createScenario(scenario)
  const names = pools.map(({ name }) => name)
  return { random, names, focus: anyPool({ random, names, focus: null }) }
}

export const mostActions = 30

function attackOn(draw: Draw): readonly Action[] {
  const { random, focus } = draw
  const back: Action = { do: 'push', pool: focus ?? '', factor: 1 }
  return [
    ...some(draw, 2),
    ...(chance(random, 0.5) ? [pushOf(draw)] : []),
    { do: 'decide', call: anyCall(draw) },
    ...(chance(random, 0.4) ? [pushOf(draw)] : []),
    ...(chance(random, 0.2) ? some(draw, 2) : []),
    { do: 'execute' },
    ...(chance(random, 0.6) ? [back] : some(draw, 2)),
  ]
}

function some(draw: Draw, most: number): Action[] {
  return Array.from({ length: whole(draw.random, 0, most) }, () => anyAction(draw))
}
