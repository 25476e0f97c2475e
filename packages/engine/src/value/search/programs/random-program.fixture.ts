import { createRandom } from '@svc/lp-math'
import {
  aimedCall,
  anyAction,
  anyCall,
  anyFactor,
  anyKind,
  anyPool,
  anyRange,
  type Draw,
} from './draw-action.fixture.ts'
import { chance, logUniform, pick, whole } from '../world/draws.fixture.ts'
import type { Action, Program } from './program.fixture.ts'
import { createScenario } from '../world/scenario.fixture.ts'

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
  const actions = [...preparation(draw), ...some(draw, 6)]
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

/** What known attacks begin with, on the pool that the program is about. */
function preparation(draw: Draw): readonly Action[] {
  const { random, names } = draw
  const pool = draw.focus ?? anyPool(draw)
  const draws: Readonly<Record<Preparation, () => readonly Action[]>> = {
    nothing: () => [],
    spikes: () => Array.from({ length: whole(random, 1, 3) }, () => spike(draw, pool)).flat(),
    park: () => [
      { do: 'create', ...anyKind(random), factor: anyFactor(random), usd: logUniform(random, 10, 1e5) },
      { do: 'add', pool: 'own-0', usd: logUniform(random, 1e4, 5e5), ...anyRange(random) },
      { do: 'wait', seconds: 1_800 },
    ],
    flush: () => [{ do: 'flush', pool, blocks: whole(random, 1, 150) }],
    hold: () => [{ do: 'hold', pool: pick(random, names), factor: anyFactor(random), blocks: whole(random, 1, 40) }],
    pulse: () => [{ do: 'pulse', pool, factor: anyFactor(random), times: whole(random, 10, 80) }],
    deepen: () => [{ do: 'add', pool, usd: logUniform(random, 1e4, 1e6), ...anyRange(random) }],
    some: () => some(draw, 6),
  }
  return draws[pick(random, preparations)]()
}

const preparations = ['nothing', 'spikes', 'park', 'flush', 'hold', 'pulse', 'deepen', 'some'] as const

type Preparation = (typeof preparations)[number]

/** Out for a block and back before anybody else, so that only a mean remembers it. */
function spike({ random }: Draw, pool: string): readonly Action[] {
  const far = logUniform(random, 1.05, 1e12)
  return [
    { do: 'push', pool, factor: chance(random, 0.5) ? far : 1 / far },
    { do: 'wait', seconds: 1 },
    { do: 'push', pool, factor: 1 },
    { do: 'wait', seconds: Math.round(logUniform(random, 1, 1_500)) },
  ]
}

/** A pool is moved, the agent reads it, its call is mined where the attacker wants it, and the pool is revoked. */
function attackOn(draw: Draw): readonly Action[] {
  const { random } = draw
  const pool = anyPool(draw)
  const factor = anyFactor(random)
  const push: Action = { do: 'push', pool, factor }
  const back: Action = { do: 'push', pool, factor: 1 }
  return [
    ...some(draw, 1),
    ...(chance(random, 0.6) ? [push] : []),
    { do: 'decide', call: chance(random, 0.6) ? aimedCall(draw, pool, factor > 1) : anyCall({ ...draw, focus: pool }) },
    ...(chance(random, 0.4) ? [{ ...push, factor: anyFactor(random) }] : []),
    ...(chance(random, 0.2) ? some(draw, 2) : []),
    { do: 'execute' },
    ...(chance(random, 0.7) ? [back] : some(draw, 2)),
  ]
}

function some(draw: Draw, most: number): Action[] {
  return Array.from({ length: whole(draw.random, 0, most) }, () => anyAction(draw))
}
