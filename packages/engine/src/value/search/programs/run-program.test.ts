import { expect, it } from 'vitest'
import { type Guard, refuse } from '../guards/guard.fixture.ts'
import { buildWorld } from '../world/build-world.fixture.ts'
import { createScenario } from '../world/scenario.fixture.ts'
import { randomProgram } from './random-program.fixture.ts'
import { runProgram } from './run-program.fixture.ts'

const refuseAll = (): Guard => () => refuse('NEVER', 'Nothing is allowed here.')
const allowAll = (): Guard => () => ({ allowed: true, lossBoundUsd: 0, stakedUsd: 0, code: null, message: null })

/** A market that stands still, and nobody else who trades. */
function stillWorld(seed: number) {
  const scenario = createScenario(seed)
  const tokens = scenario.tokens.map((token) => ({ ...token, sigma: 0 }))
  return buildWorld({ ...scenario, tokens, tradeEverySeconds: Infinity })
}

it('lets nobody earn anything from pools that stand at the market, whatever he does', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const { attackerUsd, lossUsd } = runProgram(stillWorld(seed % 8), randomProgram(seed, 8), refuseAll)
    expect({ seed, isNothing: attackerUsd <= 0.01 }).toEqual({ seed, isNothing: true })
    expect(lossUsd).toBe(0)
  }
})

it('lets nobody earn more than the agent loses', () => {
  for (let seed = 100; seed < 140; seed += 1) {
    const { attackerUsd, lossUsd } = runProgram(stillWorld(seed % 8), randomProgram(seed, 8), allowAll)
    expect({ seed, isCovered: attackerUsd <= Math.max(0, lossUsd) + 0.01 }).toEqual({ seed, isCovered: true })
  }
})

it('does the same again', () => {
  const [first, again] = [1, 2].map(() => runProgram(stillWorld(5), randomProgram(17, 8), allowAll, true))
  expect(again).toEqual(first)
  expect(first!.steps.length).toBeGreaterThan(0)
})
