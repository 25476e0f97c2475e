import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { createPriceMemory } from '@svc/amm/prices'
import { createPricedDevnet } from '../../../amm/src/prices/priced-devnet.fixture.ts'
import { passBlocks, openStranger } from './attack-kit.fixture.ts'

const devnet = useDevnet()
const label = 'v4 WETH/USDC 0.05 %'

describe('G7: a v4 pool of an endpoint that keeps no older state', () => {
  it('is not known by moments that whoever reads has chosen', async () => {
    const memory = createPriceMemory({ store: () => null, now: Date.now })
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [label] } }, memory })
    priced.network.losesPast = true
    const stranger = await openStranger(devnet())
    const { token0, token1, fee, tickSpacing, hooks } = priced.pool(label)
    const key = { currency0: token0, currency1: token1, fee, tickSpacing: tickSpacing!, hooks: hooks! }
    const isWethFirst = token0 === priced.addressOf('WETH')
    const usdc = priced.addressOf('USDC')
    let reported = null
    for (let turn = 0; turn < 4; turn += 1) {
      const had = await stranger.balanceOf(usdc)
      await stranger.swapV4(key, isWethFirst, parseUnits('700', 18))
      // The agent asks for a price at just this moment.
      reported = await priced.band('WETH')
      await stranger.swapV4(key, !isWethFirst, (await stranger.balanceOf(usdc)) - had)
      await passBlocks(devnet(), stranger, 35)
    }
    // Four honest moments, at which somebody else would have looked, never were seen.
    expect(reported?.basis === 'cold' || (reported?.high ?? 0) > 2_900).toBe(true)
  })
})
