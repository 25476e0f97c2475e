import type { Devnet } from '@svc/devnet'
import { type Call, swapCall } from '@svc/devnet/blocks'
import { creationCall, depositCall, poolNamed, registerPool, removalCalls } from './pool-calls.fixture.ts'
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import type { QuotedMarket } from '../world/outside-market.fixture.ts'
import type { Step } from '../world/sim-world.fixture.ts'
import { type BlockPlan, type ChainBlocks, emptyPlan } from './open-blocks.fixture.ts'
import type { ChainMarket } from './open-market.fixture.ts'
import { feedOf } from './open-prices.fixture.ts'

/** Does what others did in the search, block by block, up to `until`; what the agent does is for `agent` to say. */
export async function simulateSteps(
  stage: ChainStage,
  steps: readonly Step[],
  until: number,
  agent: AgentPart,
): Promise<void> {
  const { blocks } = stage
  const reported = new Map(
    steps.flatMap(({ block, what, market }) =>
      market === undefined || what === 'execute' ? [] : [[block - 1, market]],
    ),
  )
  const readers = [...[...reported.keys()].map((block) => block + 1), until]
  const byBlock = new Map([...reported.keys()].map((block): [number, Step[]] => [block, []]))
  for (const step of steps) byBlock.set(step.block, [...(byBlock.get(step.block) ?? []), step])
  for (const [block, own] of [...byBlock].toSorted(([one], [other]) => one - other)) {
    await blocks.passTo(block, readers)
    const plan = emptyPlan()
    for (const step of own) {
      if (step.what.startsWith('create ')) registerPool(stage, step)
      if (step.who === 'agent') await agent.step(step, plan)
      else (plan.held === null ? plan.before : plan.after).push(...callsOf(stage, step))
    }
    const answers = reported.get(block)
    if (answers !== undefined) plan.before.push(...(await postsOf(stage, answers)))
    await agent.write(plan, () => blocks.write(plan))
  }
  await blocks.passTo(until, readers)
}

export type ChainStage = { readonly devnet: Devnet; readonly market: ChainMarket; readonly blocks: ChainBlocks }

export type AgentPart = {
  /** At the beginning of a block where the agent reads the chain; else at a place in it. */
  step(this: void, step: Step, plan: BlockPlan): Promise<void>
  /** Around the mining of a block. */
  write(this: void, plan: BlockPlan, write: () => Promise<void>): Promise<void>
}

function callsOf(stage: ChainStage, step: Step): readonly Call[] {
  if (step.what === 'swap') return [swapOf(stage, step)]
  if (step.what === 'add') return [depositCall(stage, step)]
  if (step.what === 'remove') return removalCalls(stage, step)
  if (step.what.startsWith('create ')) return [creationCall(stage, step)]
  throw new TypeError(`No chain does "${step.what}" of the ${step.who} again yet`)
}

function swapOf({ devnet, market }: ChainStage, { pool: name, amounts }: Step): Call {
  const pool = poolNamed(market, name)
  const [sold, amountIn] = Object.entries(amounts).find(([side]) => side.startsWith('in ')) ?? []
  const tokenIn = market.tokens.get(sold?.slice(3) ?? '')?.address
  const { v2, v3, universalRouter } = devnet.chain.amm
  const contracts = { v2Router: v2!.router, swapRouter02: v3!.swapRouter02, universalRouter: universalRouter!.address }
  const swap = { from: market.others.address, zeroForOne: pool.token0 === tokenIn, amountIn: BigInt(amountIn ?? 0) }
  // Far prices take many words of the bitmap.
  return { ...swapCall({ contracts }, { ...pool, base: name, quote: '' }, swap), gas: 12_000_000n }
}

/** What the feeds say of the market outside, as of the times they have said it at. */
async function postsOf({ devnet, market, blocks }: ChainStage, { feeds }: QuotedMarket): Promise<readonly Call[]> {
  const rows = [...market.tokens.values()].flatMap(({ symbol, address }) => {
    const [feed, reported] = [feedOf(devnet, symbol), feeds[address]]
    return feed === null || reported === undefined ? [] : [{ to: feed.address, ...reported }]
  })
  return Promise.all(
    rows.map(async ({ to, answer, updatedAt }): Promise<Call> => {
      const args = [BigInt(answer), BigInt(updatedAt + blocks.shiftSeconds)] as const
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'post', args })
      const from: Address = await market.others.client.readContract({
        address: to,
        abi: feedAbi,
        functionName: 'feeder',
      })
      return { from, to, data, gas: 200_000n, what: 'post to a feed' }
    }),
  )
}

const feedAbi = parseAbi(['function post(int256 answer, uint64 updatedAt)', 'function feeder() view returns (address)'])
