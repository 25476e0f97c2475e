import { useDevnet } from '@svc/devnet/testing'
import { type Hex, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { erc20Abi } from '@svc/amm/abis'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { nextIn, openConcentrated, openStranger, passBlocks, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()

const entry = { token0: 'WETH', token1: 'USDC', fee: 3_000, amount0: '0.03', rangeStrategy: 'full' }

describe('G9: who opens the breaker to lock funds in', () => {
  it('by trading in front of five swaps of three dollars, does not', async () => {
    const world = await openWorld(devnet(), { policy: { version: 1 } })
    const stranger = await openStranger(devnet())
    await syncClock(world)
    const positionId = (await world.call('add_liquidity', entry)).text('positionId')
    const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
    const bare = world.network.fetch
    const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.001', slippageBps: 1, version: 'v3' }
    for (let turn = 0; turn < 5; turn += 1) {
      let sent = 0
      const held = await world.balance('USDC', stranger.address)
      world.network.fetch = async (request, init) => {
        const isSending = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
        // Behind the approval, before the swap.
        if (isSending && ++sent === 2) await stranger.swapV3(v3PathOf(weth, 100, usdc), parseUnits('2', 18))
        return bare(request, init)
      }
      await syncClock(world)
      expect((await world.refuse('execute_swap', swap)).code).toBe('TRANSACTION_REVERTED')
      const got = (await world.balance('USDC', stranger.address)) - held
      await stranger.swapV3(v3PathOf(usdc, 100, weth), got)
    }
    world.network.fetch = bare
    expect(await world.refuse('execute_swap', swap)).toMatchObject({
      code: 'CIRCUIT_BREAKER_OPEN',
      suggestion: expect.stringContaining('Liquidity can still be removed'),
    })
    expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({
      open: true,
      stops: 'all-but-ways-home',
    })
    await world.call('remove_liquidity', { positionId })
    await world.close()
  })

  it('by pushing a named pool in four of ten blocks for half an hour and leaving it then, does not', async () => {
    const pool = await openConcentrated(devnet(), { low: 15_000, high: 500_000, wbtc: '1.2', usdc: '108000' })
    const sources = { pools: [pool.source], expectedUsd: { low: '45000', high: '180000' } }
    const world = await openWorld(devnet(), {
      policy: { version: 1, priceSources: { [`${devnet().chainId}`]: { [pool.wbtc]: sources } } },
      chain: { blockTimeSeconds: 12 },
      funds: { ETH: '1', WETH: '1', USDC: '3000', USDT: '0', DAI: '0', WBTC: '2' },
    })
    const stranger = await openStranger(devnet())
    await passBlocks(devnet(), stranger, 200)
    await syncClock(world)
    const positionId = (await world.call('add_liquidity', entry)).text('positionId')
    await passBlocks(devnet(), stranger, 6)
    const look = async () => {
      await syncClock(world)
      await world.executor.watchBalances()
    }
    await look()
    const pushed = async (seconds: number, path: Hex, amount: bigint) => {
      await nextIn(devnet(), stranger, seconds)
      await stranger.swapV3(path, amount)
    }
    for (let block = 0; block < 66; block += 1) {
      const held = await world.balance('WBTC', stranger.address)
      // Last in a block and first in the next: the push stands between blocks alone.
      await pushed(12, v3PathOf(pool.usdc, pool.fee, pool.wbtc), parseUnits('42000', 6))
      const bought = (await world.balance('WBTC', stranger.address)) - held
      await pushed(11, v3PathOf(pool.wbtc, pool.fee, pool.usdc), bought)
      if (block >= 50 && block % 4 === 0) await look()
    }
    await look()
    await passBlocks(devnet(), stranger, 110)
    await look()
    expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({ open: false })
    await world.call('remove_liquidity', { positionId })
    await world.close()
  })

  it('by a gift in a block that another one replaces, does not', async () => {
    const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
    const stranger = await openStranger(devnet())
    await world.call('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '20' })
    const look = async () => {
      world.clock.offsetMs += 121_000
      await world.executor.watchBalances()
    }
    await look()
    const node = testClient(devnet())
    const id = await node.snapshot()
    const gift = [world.wallet, parseUnits('5000000', 6)]
    await stranger.write(world.address('USDC'), erc20Abi, 'transfer', gift)
    await look()
    await node.revert({ id })
    await node.mine({ blocks: 2 })
    await look()
    expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({ open: false })
    await world.close()
  })
})
