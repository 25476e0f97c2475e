import { useDevnet } from '@svc/devnet/testing'
import type { Intent } from '@svc/amm'
import { parseEther } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import {
  announces,
  calls,
  isMined,
  keepsNineTenths,
  turnToken,
} from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { plannedOf, principalOf } from '../../../engine/src/fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../../../engine/src/fixtures/use-pipelines.fixture.ts'
import { fundStranger, openStage } from './attack-row.fixture.ts'
import { planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient, planSwap } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

const pays = calls('function transfer(address,uint256)') + isMined
const isTaken = calls('function transferFrom(address,address,uint256)') + isMined

/** As a person who is asked about a token that misleads says. */
async function runApproved(pipeline: Pipeline, intent: Intent): Promise<void> {
  const { plan } = plannedOf(await pipeline.run(intent, { dryRun: true }))
  const claimed = await pipeline.store.operations.claim(plan.planId, { requestId: 'approved' })
  await pipeline.run(intent, { carriesOut: { ...claimed, decidedBy: 'operator:cli' } })
}

describe('G9: a token without a trusted price that announces what did not happen', () => {
  it('stops nothing where the rest came within its minimums, and keeps nobody from leaving', async () => {
    const pipeline = await open({ policy: { ...lenient, speculativeUsd: '5000', unnamedSales: 'allow' } })
    await fundStranger(devnet())
    await devnet().fund(pipeline.wallet, { HOSTILE: '20000' })
    const stage = await openStage(devnet(), pipeline)
    await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1' }))
    await runApproved(pipeline, await planAdd(pipeline, { pair: ['HOSTILE', 'USDC'], fee: 10_000, amount0: '20000' }))
    const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, ['v3'])
    const [worthless, other] = [10_000, 3_000].map((fee) => items.find(({ pool }) => pool.fee === fee)!)
    restore.push(await turnToken(pipeline, { condition: pays, evil: `600160c81b600052${announces(4)}`, goesOn: true }))
    const leaving = await removal(pipeline, { slippageBps: 4_000, position: worthless! })
    beforeSending(pipeline, 1, () => pushV3(stage, 'HOSTILE', 10_000, 'USDC', '200000'))
    await pipeline.run(leaving)
    pipeline.network.fetch = fetch
    expect(await pipeline.executor.safetyReport(principalOf())).toMatchObject({
      breaker: { open: false, stops: 'nothing' },
    })
    await pipeline.run(await removal(pipeline, { position: other! }))
  })
})

describe('G13: a listed token whose author keeps nine tenths on the chain and nothing in a simulation', () => {
  it('takes one deposit into a pair, whose loss counts and opens the breaker', async () => {
    const pipeline = await open({ policy: lenient })
    await fundStranger(devnet())
    await devnet().fund(pipeline.wallet, { DAI: '10000' })
    const { stranger } = await openStage(devnet(), pipeline)
    await stranger.addV2(pipeline.token('DAI'), pipeline.token('USDC'), units('DAI', '100000'), units('USDC', '100000'))
    restore.push(await turnToken(pipeline, { symbol: 'DAI', condition: isTaken, evil: keepsNineTenths(68) }))
    const add = { version: 'v2', pair: ['DAI', 'USDC'], amount0: '1000' } as const
    await pipeline.run(await planAdd(pipeline, add))
    const pair = await pipeline.liquidity.pairShare(pipeline.chain, pairOf(pipeline, 'DAI', 'USDC'), pipeline.wallet)
    expect(pair.amount1).toBeLessThan(units('USDC', '200'))
    expect(await lossUsd(pipeline)).toBeGreaterThan(1_500)
    await expect(pipeline.run(await planAdd(pipeline, add))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it('is found in what a purchase lost, also where something else arrives meanwhile', async () => {
    const pipeline = await open({ policy: lenient })
    restore.push(await turnToken(pipeline, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
    beforeSending(pipeline, 2, () => devnet().fund(pipeline.wallet, { ETH: '100' }))
    await pipeline.run(await planSwap(pipeline, 'USDC', 'DAI', '1000', 'v3'))
    pipeline.network.fetch = fetch
    expect(await pipeline.balance('ETH')).toBeGreaterThan(parseEther('50'))
    expect(await lossUsd(pipeline)).toBeGreaterThan(890)
  })
})

async function lossUsd(pipeline: Awaited<ReturnType<typeof open>>): Promise<number> {
  return Number((await pipeline.executor.safetyReport(principalOf())).valueUsd?.lossAtMost.used)
}
