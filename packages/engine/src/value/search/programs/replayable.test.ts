import { expect, it } from 'vitest'
import { createOperatorGuard } from '../guards/server-guard.fixture.ts'
import { spotPrices } from '../guards/sim-prices.fixture.ts'
import type { Program } from './program.fixture.ts'
import { recordedStart, replayableOf } from './replayable.fixture.ts'
import { runProgram } from './run-program.fixture.ts'
import { shrinkProgram } from './shrink-program.fixture.ts'

const sell = { tool: 'swap', sell: 'TKN', buy: 'WETH', pool: 'tkn-weth-v3-3000', usd: 1_000, slippageBps: 50 } as const
const program: Program = {
  scenario: 4,
  seed: 4,
  lineage: 4,
  actions: [
    { do: 'wait', seconds: 30 },
    { do: 'push', pool: 'tkn-weth-v3-3000', factor: 0.99 },
    { do: 'decide', call: sell },
    { do: 'push', pool: 'no-such-pool', factor: 2 },
    { do: 'execute' },
  ],
}
const start = recordedStart(program.scenario, spotPrices)
const play = (simulated: Program) =>
  runProgram(start.world, simulated, (world) => createOperatorGuard(world, spotPrices), true)

it('is plain data: what stands at the beginning, and every step with block, time and amounts', () => {
  const result = play(program)
  const data = replayableOf(start, result)
  expect(JSON.parse(JSON.stringify(data))).toEqual(data)
  expect(data.since.pools).toContainEqual(
    expect.objectContaining({ name: 'tkn-weth-v3-3000', sqrtPriceX96: expect.stringMatching(/^\d+$/) }),
  )
  expect(data.past.length).toBeGreaterThan(50)
  expect(data.past.every(({ block }) => block >= data.since.block && block < data.block)).toBe(true)
  const own = data.steps.filter(({ who }) => who === 'attacker' || who === 'agent')
  expect(own).toMatchObject([
    { who: 'attacker', what: 'swap', pool: 'tkn-weth-v3-3000' },
    { who: 'agent', what: 'decide swap: allowed', amounts: { tokenIn: 'TKN', slippageBps: 50 } },
    { who: 'agent', what: 'execute', market: { prices: expect.anything() } },
    { who: 'agent', what: 'swap', amounts: { 'in TKN': expect.stringMatching(/^\d+$/) } },
  ])
})

it('leaves out what a program does as well without', () => {
  const lossUsd = play(program).lossUsd
  const shorter = shrinkProgram(program, (candidate) => play(candidate).lossUsd >= 0.9 * lossUsd)
  expect(shorter.actions.map((action) => action.do)).toEqual(['push', 'decide'])
})
