import type { Devnet } from '@svc/devnet'
import { testClient } from '../../../fair-value/attack-kit.fixture.ts'
import type { Sighting } from '../../../../ports/prices.ts'
import type { Replayable, Standing } from '../programs/replayable.fixture.ts'
import type { QuotedMarket } from '../world/outside-market.fixture.ts'
import { type ChainAgent, openAgent, type Signed } from './open-agent.fixture.ts'
import { openBlocks } from './open-blocks.fixture.ts'
import { type ChainMarket, openMarket } from './open-market.fixture.ts'
import { openPrices } from './open-prices.fixture.ts'
import { type AgentPart, playSteps } from './play-steps.fixture.ts'

/**
 * Does programs of the search again on a local chain: the real contracts, and behind the agent the real pipeline. Programs of the same
 * scenario share its past. The chain is brought back afterwards.
 */
export async function replayPrograms(
  devnet: Devnet,
  replayables: readonly Replayable[],
  onResult: (result: ChainResult) => void = () => {},
): Promise<readonly ChainResult[]> {
  const results: ChainResult[] = []
  for (const alike of byScenario(replayables)) {
    const [first] = alike
    if (first === undefined) continue
    const restore = await devnet.checkpoint()
    const past = await playPast(devnet, first)
    for (const replayable of alike) {
      const back = await devnet.checkpoint()
      const result = { replayable, calls: await playProgram(devnet, past, replayable) }
      await back()
      results.push(result)
      onResult(result)
    }
    await restore()
  }
  return results
}

export type ChainResult = { readonly replayable: Replayable; readonly calls: readonly ChainCall[] }

/** How a call of the agent ended on the chain. */
export type ChainCall = {
  /** `mined`, or the code of the refusal or failure. */
  readonly code: string
  /** Of a refusal. */
  readonly message: string
  /** At the prices outside: the lesser loss of those when it was decided on, and when it was mined. Gas is left out. */
  readonly lossUsd: number
}

type Past = {
  readonly market: ChainMarket
  readonly sightings: readonly Sighting[]
  /** The time of the block at which programs begin. */
  readonly atSeconds: number
}

/** What stood and happened before the programs of a scenario. */
async function playPast(devnet: Devnet, replayable: Replayable): Promise<Past> {
  const { since, past, block, timestamp } = replayable
  await testClient(devnet).setBlockGasLimit({ gasLimit: 1_000_000_000n })
  const market = await openMarket(devnet, since)
  const head = await market.others.client.getBlock()
  const atSeconds = Number(head.timestamp) + replayable.blockSeconds
  const from = { block: since.block, searchSeconds: since.timestamp, atSeconds }
  const blocks = await openBlocks(devnet, { ...replayable, from })
  const prices = openPrices(devnet, market, { ...replayable, sightings: sightingsOf(since, blocks.shiftSeconds) })
  await playSteps({ devnet, market, blocks }, past, block, {
    async step({ block: at }) {
      const { timestamp: now } = await prices.rpc.head(prices.chain)
      prices.standAt(Number(now), at - 1)
      for (const { address } of prices.chain.tokens) {
        await prices.prices.usd(prices.chain, await prices.byAddress(prices.chain, address))
      }
    },
    write: (_plan, write) => write(),
  })
  await blocks.close()
  return { market, sightings: prices.seen, atSeconds: timestamp + blocks.shiftSeconds }
}

async function playProgram(devnet: Devnet, past: Past, replayable: Replayable): Promise<readonly ChainCall[]> {
  const { market, sightings, atSeconds } = past
  const { block, timestamp, steps } = replayable
  const from = { block, searchSeconds: timestamp, atSeconds }
  const blocks = await openBlocks(devnet, { ...replayable, from })
  const agent = await openAgent({ devnet, market, replayable, sightings, mineNow: blocks.mineNow })
  const calls: ChainCall[] = []
  await playSteps({ devnet, market, blocks }, steps, (steps.at(-1)?.block ?? block) + 1, agentPart(agent, calls))
  await blocks.close()
  await agent.close()
  return calls
}

/** Lets the agent decide where it decided in the search, and mines what it signed where that was mined there. */
function agentPart(agent: ChainAgent, calls: ChainCall[]): AgentPart {
  let waiting: Signed | null = null
  let moments: readonly QuotedMarket[] = []
  return {
    async step(step, plan) {
      if (step.market === undefined) return
      moments = [...moments, step.market]
      if (step.what === 'execute') {
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

/** Each list is of one scenario. */
function byScenario(replayables: readonly Replayable[]): readonly (readonly Replayable[])[] {
  const scenarios = [...new Set(replayables.map(({ program }) => program.scenario))]
  return scenarios.map((scenario) => replayables.filter(({ program }) => program.scenario === scenario))
}

function sightingsOf({ sightings }: Standing, shiftSeconds: number): readonly Sighting[] {
  return sightings.map(({ subject, atSeconds, values }) => {
    const numbers = Object.entries(values).map(([name, value]) => [name, BigInt(value)] as const)
    return { subject, atSeconds: atSeconds + shiftSeconds, values: Object.fromEntries(numbers) }
  })
}
