import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../adapters/liquidity/chain-actor.fixture.ts'
import { createFetchWithoutPast } from '../../adapters/prices/priced-devnet.fixture.ts'
import { openWorld } from '../../tools/chain-world.fixture.ts'
import { nextIn, openConcentrated, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G13: a token that one pool prices, on the first day of a server', () => {
  const sale = { tokenIn: 'WBTC', tokenOut: 'USDC', amount: '0.001', slippageBps: 100 }

  /** A pool that recalls half an hour, of which a day has passed in blocks of ten minutes. */
  async function openDay() {
    const pool = await openConcentrated(devnet(), { low: 15_000, high: 500_000, wbtc: '8', usdc: '800000' })
    const tokens = devnet().chain.tokens.map((row) =>
      row.symbol === 'WBTC' ? Object.assign({}, row, { priceSources: { pools: [pool.source] } }) : row,
    )
    const world = await openWorld(devnet(), { policy: { version: 1 }, chain: { tokens, blockTimeSeconds: 600 } })
    await testClient(devnet()).mine({ blocks: 140, interval: 600 })
    return { pool, world }
  }

  it('is not sold at a price that was pushed for half an hour, without a person, where the endpoint keeps no older state', async () => {
    const { pool, world } = await openDay()
    const stranger = await openStranger(devnet())
    await nextIn(devnet(), stranger)
    await stranger.swapV3(v3PathOf(pool.wbtc, pool.fee, pool.usdc), parseUnits('11', 8))
    await testClient(devnet()).mine({ blocks: 4, interval: 600 })
    await syncClock(world)
    world.network.fetch = createFetchWithoutPast()
    const refusal = await world.refuse('execute_swap', sale)
    await world.close()
    expect(refusal).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      message: expect.stringContaining('nothing tells what it was worth hours ago'),
    })
  })

  it('is sold where three blocks of the day before tell as much', async () => {
    const { world } = await openDay()
    await syncClock(world)
    const sold = await world.call('execute_swap', sale)
    await world.close()
    expect(Number(sold.text('amountOut'))).toBeGreaterThan(85)
  })
})
