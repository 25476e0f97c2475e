import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openConcentrated, openStranger, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G13: a token of which only the price of this moment is known', () => {
  it('leaves for no more than the budget of a cold start, however far its pool was pushed', async () => {
    const pool = await openConcentrated(devnet(), { low: 75_000, high: 108_000, wbtc: '11', usdc: '1000000' })
    const tokens = devnet().chain.tokens.map((row) =>
      row.symbol === 'WBTC' ? Object.assign({}, row, { priceSources: { pools: [pool.source] } }) : row,
    )
    const world = await openWorld(devnet(), { chain: { tokens }, funds: { WBTC: '6' } })
    const stranger = await openStranger(devnet())
    // Down to a hundredth, where the stranger's money waits: what is put there is bought for next to nothing.
    await pool.mint(stranger, [pool.tickAt(890), pool.tickAt(900)], { wbtc: '0', usdc: '20000' })
    await stranger.swapV3(v3PathOf(pool.wbtc, pool.fee, pool.usdc), parseUnits('20', 8))
    const before = await worthOf(world)
    const args = { token0: 'WBTC', token1: 'USDC', fee: pool.fee, amount0: '5.5', amount1: '0' }
    const added = await world.call('add_liquidity', { ...args, priceLower: 905, priceUpper: 960 }).catch(() => null)
    await stranger.swapV3(v3PathOf(pool.usdc, pool.fee, pool.wbtc), parseUnits('1500000', 6))
    if (added !== null) {
      await world.call('remove_liquidity', { positionId: added.text('positionId'), version: 'v3' })
    }
    const lostUsd = before - (await worthOf(world))
    await world.close()
    expect(lostUsd).toBeLessThan(25_000)
  })
})
