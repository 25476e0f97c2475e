import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../adapters/liquidity/chain-actor.fixture.ts'
import { openWorld } from '../../tools/chain-world.fixture.ts'
import { methodsIn } from '../network.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'

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
})
