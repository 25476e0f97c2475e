import { useDevnet } from '@svc/devnet/testing'
import { formatEther } from 'viem'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { lenient } from './plans.fixture.ts'

const devnet = useDevnet()

it('G13: an agent that sends native currency cannot send what the way home costs', async () => {
  const world = await openWorld(devnet(), { policy: lenient, funds: { ETH: '0.5' } })
  const entry = { token0: 'WETH', token1: 'USDC', fee: 3_000, amount0: '0.1', rangeStrategy: 'full' }
  const positionId = (await world.call('add_liquidity', entry)).text('positionId')
  const sell = async (leaves: bigint) => {
    const { maxFeePerGas } = await world.client.estimateFeesPerGas()
    const amount = formatEther((await world.balance('ETH')) - leaves * maxFeePerGas)
    return { tokenIn: 'ETH', tokenOut: 'USDC', amount, version: 'v3' }
  }
  expect((await world.refuse('execute_swap', await sell(650_000n))).code).toBe('INSUFFICIENT_BALANCE')
  await world.call('execute_swap', await sell(1_500_000n))
  await world.call('remove_liquidity', { positionId })
  await world.close()
})
