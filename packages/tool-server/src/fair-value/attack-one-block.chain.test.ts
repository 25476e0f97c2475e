import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import {
  nextIn,
  openConcentrated,
  openStranger,
  passBlocks,
  syncClock,
  testClient,
  worthOf,
} from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G13: a concentrated pool that was emptied for two single blocks of half an hour', () => {
  it('does not take deposits at twice the price of the market', async () => {
    const pool = await openConcentrated(devnet(), { low: 75_000, high: 108_000, wbtc: '11', usdc: '1000000' })
    const tokens = devnet().chain.tokens.map((row) =>
      row.symbol === 'WBTC' ? Object.assign({}, row, { priceSources: { pools: [pool.source] } }) : row,
    )
    const world = await openWorld(devnet(), { chain: { tokens, blockTimeSeconds: 12 } })
    const stranger = await openStranger(devnet())
    const up = pool.isFirst ? 1 : -1
    const now = pool.tickAt(90_000)
    const mean = 6_000
    // Where single blocks are to stand, with liquidity of next to no value, so that the pool seems no thinner.
    const far = (ticks: number): [number, number] => [now + up * ticks, now + up * (ticks + 10)]
    const [buy, sell] = [v3PathOf(pool.usdc, pool.fee, pool.wbtc), v3PathOf(pool.wbtc, pool.fee, pool.usdc)]
    /** Pushed at the end of a block, taken back at the start of the next: no arbitrageur is as quick. */
    const pulse = async () => {
      const had = await stranger.balanceOf(pool.wbtc)
      await nextIn(devnet(), stranger)
      await stranger.swapV3(buy, parseUnits('1200000', 6))
      await nextIn(devnet(), stranger)
      await stranger.swapV3(sell, (await stranger.balanceOf(pool.wbtc)) - had)
    }
    await pool.mint(stranger, far(mean * 100), { wbtc: '0.001', usdc: '0' })
    await passBlocks(devnet(), stranger, 160)
    await pulse()
    await passBlocks(devnet(), stranger, 60)
    await pool.mint(stranger, far(mean * 50), { wbtc: '0.001', usdc: '0' })
    await pulse()
    await passBlocks(devnet(), stranger, 20)
    await pool.mint(stranger, [now + up * (mean - 60), now + up * mean], { wbtc: '8', usdc: '0' })
    await nextIn(devnet(), stranger)
    await stranger.swapV3(buy, parseUnits('1150000', 6))
    await syncClock(world)
    const before = await worthOf(world)
    const positions: string[] = []
    const codes: string[] = []
    for (let turn = 0; turn < 2; turn += 1) {
      const args = { token0: 'WBTC', token1: 'USDC', fee: pool.fee, amount0: '0', amount1: '47000' }
      const deposit = { ...args, priceLower: 158_000, priceUpper: 162_000 }
      const refusal = await world.refuse('add_liquidity', deposit).catch(() => null)
      if (refusal !== null) codes.push(refusal.code)
      else positions.push(`${40 + turn}`)
    }
    // The push is taken back, and what was deposited with it.
    await nextIn(devnet(), stranger)
    await stranger.swapV3(sell, parseUnits('20', 8))
    for (const positionId of positions) await world.call('remove_liquidity', { positionId, version: 'v3' })
    const lostUsd = before - (await worthOf(world))
    await world.close()
    // Two blocks do not move what a pool's own oracle recalls of single seconds, so its price is known, and this is another.
    expect({ lostUsd, codes }).toEqual({ lostUsd: 0, codes: ['POOL_PRICE_OFF_MARKET', 'POOL_PRICE_OFF_MARKET'] })
  })
})

describe('G13: a pool that stands alone and was pushed to a quarter for half an hour', () => {
  it('does not sell what was worth four times as much a day ago', async () => {
    const pool = await openConcentrated(devnet(), { low: 15_000, high: 500_000, wbtc: '8', usdc: '800000' })
    const tokens = devnet().chain.tokens.map((row) =>
      row.symbol === 'WBTC' ? Object.assign({}, row, { priceSources: { pools: [pool.source] } }) : row,
    )
    const world = await openWorld(devnet(), { chain: { tokens, blockTimeSeconds: 600 } })
    const stranger = await openStranger(devnet())
    await testClient(devnet()).mine({ blocks: 140, interval: 600 })
    await nextIn(devnet(), stranger)
    await stranger.swapV3(v3PathOf(pool.wbtc, pool.fee, pool.usdc), parseUnits('11', 8))
    await testClient(devnet()).mine({ blocks: 4, interval: 600 })
    await syncClock(world)
    const sale = { tokenIn: 'WBTC', tokenOut: 'USDC', amount: '0.01', slippageBps: 100 }
    const refusal = await world.refuse('execute_swap', sale)
    await world.close()
    expect(refusal.code).toBe('PRICE_UNAVAILABLE')
    const said = (refusal.details ?? []).map(({ message }) => message).join('\n')
    expect(said).toMatch(/v3 pool \S+ says [12]\d{4}\.\d* to [12]\d{4}\.\d* USD/)
    expect(said).toMatch(/seen before says [78]\d{4}\./)
  })
})
