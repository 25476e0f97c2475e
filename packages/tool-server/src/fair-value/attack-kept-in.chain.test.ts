import { useDevnet } from '@svc/devnet/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { calls, keepsNineTenths, turnToken } from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { used } from '../../../engine/src/fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../../../engine/src/fixtures/use-pipelines.fixture.ts'
import { fundStranger, openStage, type Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

async function opened(): Promise<Stage> {
  const pipeline = await open({ policy: lenient })
  await fundStranger(devnet())
  return openStage(devnet(), pipeline)
}

describe('G13: a listed token whose author lets it keep nine tenths of what moves', () => {
  it.each(['v3', 'v2'] as const)('keeps nobody in %s who asks for no minimums', async (version) => {
    const { pipeline, stranger } = await opened()
    await devnet().fund(pipeline.wallet, { DAI: '10000' })
    const [dai, usdc] = [pipeline.token('DAI'), pipeline.token('USDC')]
    await stranger.addV2(dai, usdc, units('DAI', '100000'), units('USDC', '100000'))
    const add = version === 'v3' ? { fee: 100, range: 'full' as const } : {}
    await pipeline.run(await planAdd(pipeline, { version, pair: ['DAI', 'USDC'], amount0: '1000', ...add }))
    const condition = calls('function transfer(address,uint256)')
    restore.push(await turnToken(pipeline, { symbol: 'DAI', condition, evil: keepsNineTenths(36) }))
    const position =
      version === 'v3'
        ? await newestPosition(pipeline)
        : await pipeline.liquidity.pairShare(pipeline.chain, pairOf(pipeline, 'DAI', 'USDC'), pipeline.wallet)
    await expect(pipeline.run(await removal(pipeline, { position }))).rejects.toMatchObject({
      code: 'UNSAFE_TRANSACTION',
      suggestion: expect.stringContaining('slippageBps 10000'),
    })
    const before = await pipeline.balance('USDC')
    await pipeline.run(await removal(pipeline, { position, slippageBps: 10_000 }))
    expect((await pipeline.balance('USDC')) - before).toBeGreaterThan(units('USDC', '900'))
    expect(await used(pipeline)).toBeLessThan(2_100_000_000n)
  })
})

describe('G13: who pushes a pool before each removal, past every slippage that a trade may name,', () => {
  it('keeps nobody from leaving v3 who asks for no minimums', async () => {
    const stage = await opened()
    const { pipeline } = stage
    await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' }))
    beforeSending(pipeline, 1, () => pushV3(stage, 'USDC', 3_000, 'WETH', '4000000'))
    await expect(pipeline.run(await removal(pipeline, { slippageBps: 500 }))).rejects.toMatchObject({
      code: 'TRANSACTION_REVERTED',
      suggestion: expect.stringContaining('slippageBps 10000'),
    })
    beforeSending(pipeline, 1, () => pushV3(stage, 'WETH', 3_000, 'USDC', '2500'))
    await pipeline.run(await removal(pipeline, { slippageBps: 10_000 }))
    expect((await newestPosition(pipeline)).liquidity).toBe(0n)
  })

  it('keeps nobody from leaving v2', async () => {
    const { pipeline, stranger } = await opened()
    await pipeline.run(await planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
    const pair = pairOf(pipeline, 'WETH', 'USDC')
    const leave = async (slippageBps: number) => {
      const position = await pipeline.liquidity.pairShare(pipeline.chain, pair, pipeline.wallet)
      return removal(pipeline, { slippageBps, position })
    }
    const push = async () => {
      await stranger.swapV2([pipeline.token('USDC'), pipeline.token('WETH')], units('USDC', '3000000'))
    }
    beforeSending(pipeline, 2, push)
    await expect(pipeline.run(await leave(500))).rejects.toMatchObject({ code: 'TRANSACTION_REVERTED' })
    beforeSending(pipeline, 2, push)
    await pipeline.run(await leave(10_000))
    pipeline.network.fetch = fetch
    await expect(pipeline.liquidity.pairShare(pipeline.chain, pair, pipeline.wallet)).rejects.toMatchObject({
      code: 'POSITION_NOT_FOUND',
    })
  })

  it('opens no way in: a deposit above the cap is refused as before', async () => {
    const { pipeline } = await opened()
    const add = { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1', slippageBps: 501 } as const
    await expect(pipeline.run(await planAdd(pipeline, add))).rejects.toMatchObject({ code: 'SLIPPAGE_TOO_HIGH' })
  })
})
