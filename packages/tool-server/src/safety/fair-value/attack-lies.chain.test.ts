import { useDevnet } from '@svc/devnet/testing'
import { parseEther } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { announces, calls, isMined, keepsNineTenths, turnToken } from '../hostile-token.fixture.ts'
import { beforeSending } from '../network.fixture.ts'
import { principalOf } from '../road-facts.fixture.ts'
import { useRoads } from '../use-roads.fixture.ts'
import { fundStranger, openStage } from './attack-row.fixture.ts'
import { planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient, planSwap } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

const pays = calls('function transfer(address,uint256)') + isMined
const isTaken = calls('function transferFrom(address,address,uint256)') + isMined

describe('G9: a token without a trusted price that announces what did not happen', () => {
  it('stops trades where the rest brought less too, but keeps nobody from leaving', async () => {
    const road = await open({ policy: { ...lenient, speculativeUsd: '5000', unnamedSales: 'allow' } })
    await fundStranger(devnet())
    await devnet().fund(road.wallet, { HOSTILE: '20000' })
    const stage = await openStage(devnet(), road)
    await road.run(await planAdd(road, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1' }))
    await road.run(await planAdd(road, { pair: ['HOSTILE', 'USDC'], fee: 10_000, amount0: '20000' }))
    const { items } = await road.liquidity.positionsByOwner(road.chain, road.wallet, ['v3'])
    const [worthless, other] = [10_000, 3_000].map((fee) => items.find(({ pool }) => pool.fee === fee)!)
    restore.push(await turnToken(road, { condition: pays, evil: `600160c81b600052${announces(4)}`, goesOn: true }))
    const leaving = await removal(road, { slippageBps: 4_000, position: worthless! })
    beforeSending(road, 1, () => pushV3(stage, 'HOSTILE', 10_000, 'USDC', '200000'))
    await road.run(leaving)
    road.network.fetch = fetch
    expect(await road.executor.safetyReport(principalOf())).toMatchObject({
      breaker: { open: true, stops: 'all-but-ways-home' },
    })
    await road.run(await removal(road, { position: other! }))
  })
})

describe('G13: a listed token whose author keeps nine tenths on the chain and nothing in a simulation', () => {
  it('takes one deposit into a pair, whose loss counts and opens the breaker', async () => {
    const road = await open({ policy: lenient })
    await fundStranger(devnet())
    await devnet().fund(road.wallet, { DAI: '10000' })
    const { stranger } = await openStage(devnet(), road)
    await stranger.addV2(road.token('DAI'), road.token('USDC'), units('DAI', '100000'), units('USDC', '100000'))
    restore.push(await turnToken(road, { symbol: 'DAI', condition: isTaken, evil: keepsNineTenths(68) }))
    const add = { version: 'v2', pair: ['DAI', 'USDC'], amount0: '1000' } as const
    await road.run(await planAdd(road, add))
    const pair = await road.liquidity.pairShare(road.chain, pairOf(road, 'DAI', 'USDC'), road.wallet)
    expect(pair.amount1).toBeLessThan(units('USDC', '200'))
    expect(await lossUsd(road)).toBeGreaterThan(1_500)
    await expect(road.run(await planAdd(road, add))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it('is found in what a purchase lost, also where something else arrives meanwhile', async () => {
    const road = await open({ policy: lenient })
    restore.push(await turnToken(road, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
    beforeSending(road, 2, () => devnet().fund(road.wallet, { ETH: '100' }))
    await road.run(await planSwap(road, 'USDC', 'DAI', '1000', 'v3'))
    road.network.fetch = fetch
    expect(await road.balance('ETH')).toBeGreaterThan(parseEther('50'))
    expect(await lossUsd(road)).toBeGreaterThan(890)
  })
})

async function lossUsd(road: Awaited<ReturnType<typeof open>>): Promise<number> {
  return Number((await road.executor.safetyReport(principalOf())).valueUsd?.loss.used)
}
