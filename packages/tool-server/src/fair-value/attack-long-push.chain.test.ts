import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { nextIn, openConcentrated, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G13: a token that one pool prices', () => {
  const sale = { tokenIn: 'WBTC', tokenOut: 'USDC', amount: '0.001', slippageBps: 100 }

  /** A pool that recalls half an hour, of which a day has passed in blocks of ten minutes, and what the operator expects. */
  async function openDay(expectedUsd?: { readonly low: string; readonly high: string }) {
    const pool = await openConcentrated(devnet(), { low: 15_000, high: 500_000, wbtc: '8', usdc: '800000' })
    const priceSources = { '31337': { [pool.wbtc]: { pools: [pool.source], ...(expectedUsd && { expectedUsd }) } } }
    const world = await openWorld(devnet(), { policy: { version: 1, priceSources }, chain: { blockTimeSeconds: 600 } })
    await testClient(devnet()).mine({ blocks: 140, interval: 600 })
    await syncClock(world)
    return { pool, world }
  }

  const asks = {
    code: 'APPROVAL_REQUIRED',
    message: expect.stringContaining('their price is not where a person expects it'),
  }

  it('is not sold at a price that was pushed for a day, at every moment at which the server looked, without a person', async () => {
    const { pool, world } = await openDay({ low: '45000', high: '180000' })
    const stranger = await openStranger(devnet())
    await nextIn(devnet(), stranger)
    await stranger.swapV3(v3PathOf(pool.wbtc, pool.fee, pool.usdc), parseUnits('11', 8))
    for (let hours = 0; hours < 26; hours += 2) {
      await testClient(devnet()).mine({ blocks: 12, interval: 600 })
      await syncClock(world)
      await world.call('get_token_price', { token: 'WBTC' })
    }
    const refusal = await world.refuse('execute_swap', sale)
    await world.close()
    expect(refusal).toMatchObject(asks)
  })

  it('is sold where a person expects its price', async () => {
    const { world } = await openDay({ low: '45000', high: '180000' })
    const sold = await world.call('execute_swap', sale)
    await world.close()
    expect(Number(sold.text('amountOut'))).toBeGreaterThan(85)
  })

  it('is not sold without a person where nobody expects anything, whatever its past says', async () => {
    const { world } = await openDay()
    const refusal = await world.refuse('execute_swap', sale)
    await world.close()
    expect(refusal).toMatchObject(asks)
  })
})
