import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { beforeSending } from '../network.fixture.ts'
import { useRoads } from '../use-roads.fixture.ts'
import { fundStranger, openStage, type Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

async function opened(): Promise<Stage> {
  const road = await open({ policy: lenient })
  await fundStranger(devnet())
  return openStage(devnet(), road)
}

describe('G13: who pushes a pool before each removal, past every slippage that a trade may name,', () => {
  it('keeps nobody from leaving v3 who asks for no minimums', async () => {
    const stage = await opened()
    const { road } = stage
    await road.run(await planAdd(road, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' }))
    beforeSending(road, 1, () => pushV3(stage, 'USDC', 3_000, 'WETH', '4000000'))
    await expect(road.run(await removal(road, { slippageBps: 500 }))).rejects.toMatchObject({
      code: 'TRANSACTION_REVERTED',
      suggestion: expect.stringContaining('slippageBps 10000'),
    })
    beforeSending(road, 1, () => pushV3(stage, 'WETH', 3_000, 'USDC', '2500'))
    await road.run(await removal(road, { slippageBps: 10_000 }))
    expect((await newestPosition(road)).liquidity).toBe(0n)
  })

  it('keeps nobody from leaving v2', async () => {
    const { road, stranger } = await opened()
    await road.run(await planAdd(road, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
    const pair = pairOf(road, 'WETH', 'USDC')
    const leave = async (slippageBps: number) => {
      const position = await road.liquidity.pairShare(road.chain, pair, road.wallet)
      return removal(road, { slippageBps, position })
    }
    const push = async () => {
      await stranger.swapV2([road.token('USDC'), road.token('WETH')], units('USDC', '3000000'))
    }
    beforeSending(road, 2, push)
    await expect(road.run(await leave(500))).rejects.toMatchObject({ code: 'TRANSACTION_REVERTED' })
    beforeSending(road, 2, push)
    await road.run(await leave(10_000))
    road.network.fetch = fetch
    await expect(road.liquidity.pairShare(road.chain, pair, road.wallet)).rejects.toMatchObject({
      code: 'POSITION_NOT_FOUND',
    })
  })

  it('opens no way in: a deposit above the cap is refused as before', async () => {
    const { road } = await opened()
    const add = { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1', slippageBps: 501 } as const
    await expect(road.run(await planAdd(road, add))).rejects.toMatchObject({ code: 'SLIPPAGE_TOO_HIGH' })
  })
})
