import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../adapters/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../../tools/chain-world.fixture.ts'
import { nextIn, openStranger, passBlocks, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G7: a named pool of dollar tokens, whose liquidity ends two percent off', () => {
  // Open: 3,295 dollars, and the ends of 20,000 ticks do for a mean of the logarithm what ten percent would do for a price.
  it.fails('freezes no writes for half an hour when it is emptied for four single blocks', async () => {
    const world = await openWorld(devnet(), { chain: { blockTimeSeconds: 12 } })
    const stranger = await openStranger(devnet())
    await devnet().fund(stranger.address, { USDC: '20000000' })
    const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
    // Where the price is to stand for a block: without a stop the way to the end of all ticks takes too much gas.
    const isFirst = BigInt(usdt) < BigInt(usdc)
    const ticks = isFirst ? [20_000, 20_001] : [-20_001, -20_000]
    const [token0, token1] = isFirst ? [usdt, usdc] : [usdc, usdt]
    const [amount0Desired, amount1Desired] = isFirst ? [10n ** 12n, 0n] : [0n, 10n ** 12n]
    const [tickLower, tickUpper] = [ticks[0]!, ticks[1]!]
    await stranger.mintV3({ token0, token1, fee: 100, tickLower, tickUpper, amount0Desired, amount1Desired })
    await passBlocks(devnet(), stranger, 160)
    await devnet().market.move({})
    const swap = { tokenIn: 'USDT', tokenOut: 'USDC', amount: '1000' }
    await syncClock(world)
    await world.call('execute_swap', swap)
    const had = await stranger.balanceOf(usdt)
    for (let pulse = 0; pulse < 4; pulse += 1) {
      await nextIn(devnet(), stranger)
      await stranger.swapV3(v3PathOf(usdc, 100, usdt), parseUnits('4200000', 6))
      await nextIn(devnet(), stranger)
      await stranger.swapV3(v3PathOf(usdt, 100, usdc), (await stranger.balanceOf(usdt)) - had)
    }
    const codes: string[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      await passBlocks(devnet(), stranger, 25)
      await devnet().market.move({})
      await syncClock(world)
      codes.push((await world.refuse('execute_swap', swap).catch(() => null))?.code ?? 'carried out')
    }
    await world.close()
    expect(codes).toEqual(Array.from({ length: 5 }, () => 'carried out'))
  })
})
