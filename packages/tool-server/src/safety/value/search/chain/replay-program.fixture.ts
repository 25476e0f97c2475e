import type { Devnet } from '@svc/devnet'
import { testClient } from '../../../fair-value/attack-kit.fixture.ts'
import type { Replayable } from '../programs/replayable.fixture.ts'
import type { QuotedMarket } from '../world/outside-market.fixture.ts'
import { type ChainAgent, openAgent, type Signed } from './open-agent.fixture.ts'
import { openBlocks } from './open-blocks.fixture.ts'
import { openMarket } from './open-market.fixture.ts'
import { type AgentPart, playSteps } from './play-steps.fixture.ts'

/**
 * Does a program of the search again on a local chain: the real contracts, with what stood and happened before the program, and behind
 * the agent the real pipeline. The chain is brought back afterwards.
 */
export async function replayProgram(devnet: Devnet, replayable: Replayable): Promise<readonly ChainCall[]> {
  const { since, past, block, blockSeconds } = replayable
  const steps = [...past, ...replayable.steps]
  const restore = await devnet.checkpoint()
  await testClient(devnet).setBlockGasLimit({ gasLimit: roomyBlockGas })
  const market = await openMarket(devnet, since)
  const { timestamp } = await market.others.client.getBlock()
  const from = { ...since, atSeconds: Number(timestamp) + blockSeconds }
  const blocks = await openBlocks(devnet, { ...replayable, from })
  const agent = await openAgent({ devnet, market, blocks, replayable })
  const calls: ChainCall[] = []
  try {
    await playSteps({ devnet, market, blocks }, steps, (steps.at(-1)?.block ?? block) + 1, agentPart(agent, calls))
  } finally {
    await blocks.close()
    await agent.close()
    await restore()
  }
  return calls
}

/** How a call of the agent ended on the chain. */
export type ChainCall = {
  /** `mined`, or the code of the refusal or failure. */
  readonly code: string
  /** Of a refusal or failure. */
  readonly message: string
  /** At the prices outside: the lesser loss of those when it was decided on, and when it was mined. Gas is left out. */
  readonly lossUsd: number
}

/** For as many trades as the search puts into one. */
const roomyBlockGas = 1_000_000_000n

/** Lets the agent decide where it decided in the search, and mines what it signed where that was mined there. */
function agentPart(agent: ChainAgent, calls: ChainCall[]): AgentPart {
  let waiting: Signed | null = null
  let moments: readonly QuotedMarket[] = []
  return {
    async step(step, plan) {
      if (step.market === undefined) return
      if (step.what === 'look') return agent.look(step)
      if (step.what === 'execute') {
        moments = [...moments, step.market]
        plan.held = waiting
        return
      }
      moments = [step.market]
      const decided = await agent.decide(step)
      if (!('outcome' in decided)) return void calls.push({ ...decided, lossUsd: 0 })
      waiting = decided
      // What the search refused has no place of its own in a block.
      if (!step.what.endsWith(': allowed')) plan.held = waiting
    },
    async write({ held }, write) {
      if (held === null || waiting === null) return write()
      const before = await agent.worths(moments)
      await write()
      const end = await waiting.outcome
      waiting = null
      const after = await agent.worths(moments)
      const losses = before.map((worth, index) => worth - (after[index] ?? 0))
      calls.push({ ...end, lossUsd: Math.min(...losses) })
    },
  }
}
