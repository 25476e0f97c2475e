import type { Devnet } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import type { ReferencePool } from '@svc/wallet/core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { v3PoolAddress } from '@svc/amm/liquidity'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import type { PipelineOptions } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { used } from '../../../engine/src/fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../../../engine/src/fixtures/use-pipelines.fixture.ts'
import { v3Path } from './attack-calls.fixture.ts'
import { nextIn } from './attack-kit.fixture.ts'
import { fundStranger, openStage, type Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient, planSwap } from './plans.fixture.ts'
import { openDeepPool, parkOneSided, passTime, sourced, traded } from './sources.fixture.ts'
import { pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
let world: World | null = null
beforeAll(() => fundStranger(devnet()))
afterEach(async () => {
  await world?.close()
  world = null
})

const etherPools = ['v3 WETH/USDC 0.05 %', 'v3 WETH/USDC 0.3 %']
const strict = { ...lenient, allowlist: { mode: 'strict' } } as const

describe('G13: how main was made to give value away', () => {
  it('case 1: a stranger’s pool becomes the only price', async () => {
    const limitsUsd = { perTransaction: '5000', perSession: '5000', daily: '5000' }
    const stage = await openOn(bitcoinPool, { ...strict, limitsUsd, poolPricedUsd: '5000', unnamedSales: 'allow' })
    const { pipeline, stranger } = stage
    await openDeepPool(stage, 90_000, '50')
    await passTime(stage, 5)
    await parkOneSided(stage, 'WBTC')
    await passTime(stage, 31)
    // One ordinary trade, and the one record that the pool keeps is that of this block.
    await stranger.swapV3(v3Path(pipeline, ['USDC', 3_000, 'WBTC']), units('USDC', '1000'))
    await stage.devnet.fund(pipeline.wallet, { WBTC: '10' })
    const sale = (amount: string, least: string) =>
      traded(pipeline, {
        tokenIn: 'WBTC',
        tokenOut: 'USDC',
        fee: 3_000,
        amountIn: units('WBTC', amount),
        least: units('USDC', least),
      })
    await expect(pipeline.run(await sale('0.1', '8940'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    expect(await pipeline.nonce()).toBe(0)
    await pipeline.run(await sale('0.03', '2675'))
    expect(Number(await used(pipeline)) / 1e6).toBeGreaterThan(2_690)
  })

  it('case 2: a known price becomes a guess', async () => {
    const stage = await openOn(bitcoinPool, lenient)
    const { pipeline } = stage
    await openDeepPool(stage, 90_000)
    await passTime(stage, 35)
    for (let trade = 0; trade < 12; trade += 1) {
      await nextIn(devnet(), stage.stranger, 60)
      await pushV3(stage, 'USDC', 3_000, 'WBTC', '1000')
    }
    await pushV3(stage, 'WBTC', 3_000, 'USDC', '40')
    await stage.devnet.fund(pipeline.wallet, { WBTC: '20' })
    const all = { tokenIn: 'WBTC', tokenOut: 'USDC', fee: 3_000, amountIn: units('WBTC', '20'), least: 0n }
    await expect(pipeline.run(await traded(pipeline, all))).rejects.toMatchObject({ code: 'PRICE_IMPACT_EXCEEDED' })
    expect(await pipeline.nonce()).toBe(0)
  })

  it('case 3: an approval does not bind what it showed', async () => {
    world = await openWorld(devnet())
    const { stranger, pipeline } = await openStage(devnet(), await open())
    const args = { token0: 'USDC', token1: 'WETH', amount0: '9000', fee: 500, rangeStrategy: 'narrow' }
    const planned = await world.call('add_liquidity', { ...args, dryRun: true })
    await stranger.swapV3(v3Path(pipeline, ['USDC', 500, 'WETH']), units('USDC', '6000000'))
    const refusal = await world.refuse('execute_plan', { planId: planned.text('plan.planId') })
    expect(refusal.code).toBe('SIMULATION_DRIFT')
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
  })

  it('case 4: value is never weighed', async () => {
    world = await openWorld(devnet())
    const { stranger, pipeline } = await openStage(devnet(), await open())
    // Half a bitcoin for 221 dollars, in a pool that was pushed.
    await devnet().fund(stranger.address, { WBTC: '60' })
    await stranger.swapV3(v3Path(pipeline, ['WBTC', 500, 'WETH']), units('WBTC', '40'))
    await stranger.swapV3(v3Path(pipeline, ['WBTC', 3_000, 'WETH']), units('WBTC', '50'))
    await devnet().fund(world.wallet, { WBTC: '1' })
    const sale = { tokenIn: 'WBTC', tokenOut: 'WETH', amount: '0.5' }
    expect((await world.refuse('execute_swap', sale)).code).toBe('PRICE_IMPACT_EXCEEDED')
    // A hundred dollars for an ether, in a pool that is opened so, and in one that stands so.
    const deposit = { token0: 'WETH', token1: 'DAI', fee: 500, rangeStrategy: 'full', amount0: '1', amount1: '100' }
    expect((await world.refuse('add_liquidity', deposit)).code).toBe('POOL_PRICE_OFF_MARKET')
    await stranger.addV2(pipeline.token('WETH'), pipeline.token('DAI'), units('WETH', '1'), units('DAI', '100'))
    const { fee: _fee, rangeStrategy: _range, ...pair } = deposit
    expect((await world.refuse('add_liquidity', { ...pair, version: 'v2' })).code).toBe('POOL_PRICE_OFF_MARKET')
    // Half of it lost to a thin pair.
    await stranger.addV2(pipeline.token('DAI'), pipeline.token('USDT'), units('DAI', '3000'), units('USDT', '3000'))
    const thin = { tokenIn: 'DAI', tokenOut: 'USDT', amount: '2400', version: 'v2' }
    expect((await world.refuse('execute_swap', thin)).code).toBe('PRICE_IMPACT_EXCEEDED')
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
  })

  it('case 5: 30,000 dollars parked freeze every wallet', async () => {
    for (const policy of [strict, lenient]) {
      const pipeline = await open(
        sourced({ WETH: { pools: etherPools } }, { ...policy, unnamedSales: 'allow' })(devnet()),
      )
      const stage = await openStage(devnet(), pipeline)
      await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' }))
      if (policy === strict) await parkOneSided(stage, 'WETH')
      await passTime(stage, 35)
      await pipeline.run(await planSwap(pipeline, 'USDC', 'WETH', '3000', 'v3'))
      expect(Number(await used(pipeline)) / 1e6).toBeLessThan(10_000)
      await pipeline.run(await removal(pipeline))
      expect((await newestPosition(pipeline)).liquidity).toBe(0n)
    }
  })
})

/** Bitcoin is priced by this one pool of millions, without a feed. */
const bitcoinPool = (of: Devnet): ReferencePool => {
  const [wbtc, usdc] = ['WBTC', 'USDC'].map((symbol) => of.tokens.find((token) => token.symbol === symbol)!.address)
  const sorted = BigInt(wbtc!) < BigInt(usdc!) ? ([wbtc!, usdc!] as const) : ([usdc!, wbtc!] as const)
  return { version: 'v3', id: v3PoolAddress(of.chain.amm.v3!, ...sorted, 3_000), quote: usdc!, fee: 3_000 }
}

async function openOn(pool: (of: Devnet) => ReferencePool, policy: PipelineOptions['policy']): Promise<Stage> {
  const named = { WETH: { pools: etherPools }, WBTC: { pools: [pool(devnet())] } }
  return openStage(devnet(), await open(sourced(named, policy)(devnet())))
}
