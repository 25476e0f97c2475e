import type { Devnet } from '@svc/devnet'
import type { Sighting } from '../../../../../amm/src/ports/prices.ts'
import { testClient } from '../../../../../tool-server/src/fair-value/attack-kit.fixture.ts'
import type { Replayable, Standing } from '../programs/replayable.fixture.ts'
import type { QuotedMarket } from '../world/outside-market.fixture.ts'
import { type ChainAgent, openAgent, type Signed } from './open-agent.fixture.ts'
import { openBlocks } from './open-blocks.fixture.ts'
import { type ChainMarket, openMarket } from './open-market.fixture.ts'
import { openPrices } from './open-prices.fixture.ts'
import { type AgentPart, simulateSteps } from './play-steps.fixture.ts'

/**
 * Does programs of one scenario of the search again on a local chain: the real contracts, with what stood and happened before, and behind
 * the agent the real pipeline. The chain is brought back afterwards. It keeps the states of some hundred blocks, those that it was brought
 * back from among them: more than a few long programs need a chain each.
 */
export async function replayPrograms(
  devnet: Devnet,
  replayables: readonly Replayable[],
  onResult: (replayable: Replayable, calls: readonly ChainCall[]) => void,
): Promise<void> {
  const [first] = replayables
  if (first === undefined) return
  const restore = await devnet.checkpoint()
  const past = await simulatePast(devnet, first)
  for (const replayable of replayables) {
    const back = await devnet.checkpoint()
    onResult(replayable, await playProgram(devnet, past, replayable))
    await back()
  }
  await restore()
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

type Past = {
  readonly market: ChainMarket
  /** What the server has seen until programs begin, and the time of the block at which they do. */
  readonly sightings: readonly Sighting[]
  readonly atSeconds: number
}

/** What stood and happened before the programs of a scenario. */
async function simulatePast(devnet: Devnet, { since, past, block, timestamp, ...world }: Replayable): Promise<Past> {
  await testClient(devnet).setBlockGasLimit({ gasLimit: roomyBlockGas })
  const market = await openMarket(devnet, since)
  const head = await market.others.client.getBlock()
  const from = { ...since, atSeconds: Number(head.timestamp) + world.blockSeconds }
  const blocks = await openBlocks(devnet, { ...world, from })
  const sightings = sightingsOf(since, blocks.shiftSeconds)
  const prices = openPrices(devnet, market, { ...world, sightings })
  await simulateSteps({ devnet, market, blocks }, past, block, {
    step: (step) => prices.look(step),
    write: (_plan, write) => write(),
  })
  await blocks.close()
  return { market, sightings: prices.seen(), atSeconds: timestamp + blocks.shiftSeconds }
}

/** For as many trades as the search puts into one. */
const roomyBlockGas = 1_000_000_000n

async function playProgram(
  devnet: Devnet,
  { market, sightings, atSeconds }: Past,
  replayable: Replayable,
): Promise<readonly ChainCall[]> {
  const { block, timestamp, steps } = replayable
  const blocks = await openBlocks(devnet, { ...replayable, from: { block, timestamp, atSeconds } })
  const agent = await openAgent({ devnet, market, blocks, replayable, sightings })
  const calls: ChainCall[] = []
  try {
    await simulateSteps({ devnet, market, blocks }, steps, (steps.at(-1)?.block ?? block) + 1, agentPart(agent, calls))
    return calls
  } finally {
    await blocks.close()
    await agent.close()
  }
}

/** Lets the agent decide where it decided in the search, and mines what it signed where that was mined there. */
function agentPart(agent: ChainAgent, calls: ChainCall[]): AgentPart {
  let waiting: Signed | null = null
  let moments: readonly QuotedMarket[] = []
  return {
    async step(step, plan) {
      if (step.market === undefined) return
      if (step.what === 'execute') {
        moments = [...moments, step.market]
        plan.held = waiting
        return
      }
      moments = [step.market]
      const decided = await agent.decide(step)
      if (!('outcome' in decided)) {
        calls.push({ ...decided, lossUsd: 0 })
        return
      }
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

function sightingsOf({ sightings }: Standing, shiftSeconds: number): readonly Sighting[] {
  return sightings.map(({ subject, atSeconds, values }) => {
    const numbers = Object.entries(values).map(([name, value]) => [name, BigInt(value)] as const)
    return { subject, atSeconds: atSeconds + shiftSeconds, values: Object.fromEntries(numbers) }
  })
}
