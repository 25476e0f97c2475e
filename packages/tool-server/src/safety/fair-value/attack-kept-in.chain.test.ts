import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { beforeSending } from '../network.fixture.ts'
import { usePipelines } from '../use-pipelines.fixture.ts'
import { fundStranger, openStage, type Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

async function opened(): Promise<Stage> {
  const pipeline = await open({ policy: lenient })
  await fundStranger(devnet())
  return openStage(devnet(), pipeline)
}

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
