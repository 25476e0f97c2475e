import { type Random } from '@svc/lp-math'
import { anyAction, anyCall, anyPool, type Draw } from './draw-action.fixture.ts'
import { chance, logUniform, whole } from '../world/draws.fixture.ts'
import type { AgentCall } from '../agent/agent-call.fixture.ts'
import type { Action, Program } from './program.fixture.ts'
import { drawOf, mostActions } from './random-program.fixture.ts'

/** The same program with one to three changes: an action more, one less, two exchanged, or numbers of one moved a little. */
export function mutateProgram(program: Program, seed: number): Program {
  const draw = drawOf(seed, program.scenario)
  const actions = [...program.actions]
  const changes = whole(draw.random, 1, 3)
  for (let count = 0; count < changes; count += 1) change(actions, draw)
  const isFresh = chance(draw.random, 0.2)
  return { ...program, seed: isFresh ? seed : program.seed, actions: actions.slice(0, mostActions) }
}

function change(actions: Action[], draw: Draw): void {
  const { random } = draw
  const at = whole(random, 0, Math.max(0, actions.length - 1))
  const action = actions[at]
  const kind = random.uniform()
  if (action === undefined || kind < 0.15) actions.splice(at, 0, anyAction(draw))
  else if (kind < 0.3) actions.splice(at, 1)
  else if (kind < 0.4) {
    const other = whole(random, 0, actions.length - 1)
    actions[at] = actions[other] ?? action
    actions[other] = action
  } else actions[at] = varied(action, draw)
}

function varied(action: Action, draw: Draw): Action {
  const { random } = draw
  if (action.do === 'decide')
    return { ...action, call: chance(random, 0.2) ? anyCall(draw) : variedCall(action.call, draw) }
  const moved = variedNumbers(action, random)
  return 'pool' in moved && chance(random, 0.15) ? { ...moved, pool: anyPool(draw) } : moved
}

function variedNumbers<Moved extends Action>(action: Moved, random: Random): Moved {
  const by = () => logUniform(random, 0.5, 2)
  return {
    ...action,
    ...('usd' in action ? { usd: Math.min(action.usd * by(), 1e6) } : {}),
    ...('factor' in action ? { factor: action.factor ** by() * logUniform(random, 0.995, 1.005) } : {}),
    ...('blocks' in action ? { blocks: Math.min(Math.max(1, Math.round(action.blocks * by())), 200) } : {}),
    ...('times' in action ? { times: Math.min(Math.max(1, Math.round(action.times * by())), 100) } : {}),
    ...('seconds' in action ? { seconds: Math.min(Math.round(action.seconds * by()), 7200) } : {}),
    ...('part' in action ? { part: Math.min(action.part * by(), 1) } : {}),
    ...('below' in action && action.below > 0 ? stretched(action, by()) : {}),
    ...('zeroForOne' in action && chance(random, 0.1) ? { zeroForOne: !action.zeroForOne } : {}),
  }
}

function variedCall(call: AgentCall, { random, ...draw }: Draw): AgentCall {
  const by = () => logUniform(random, 0.5, 2)
  const usd = Math.min(Math.max(call.usd * by(), 10), 1e5)
  if (call.tool === 'swap') {
    const turned = chance(random, 0.1) ? { sell: call.buy, buy: call.sell } : {}
    return { ...call, usd, ...turned, pool: chance(random, 0.15) ? anyPool({ random, ...draw }) : call.pool }
  }
  if (call.tool === 'add' || call.tool === 'open')
    return { ...call, usd, ...(call.below > 0 ? stretched(call, by()) : {}) }
  return { ...call, usd }
}

/** Both bounds further from the price, or nearer to it. */
function stretched({ below, above }: { readonly below: number; readonly above: number }, power: number) {
  return { below: below ** power, above: above ** power }
}
