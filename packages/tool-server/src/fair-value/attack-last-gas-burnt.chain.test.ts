import { useDevnet } from '@svc/devnet/testing'
import { formatEther } from 'viem'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { lenient } from './plans.fixture.ts'

const devnet = useDevnet()

it('G13: an agent that sends no native currency cannot burn what the way home costs', async () => {
  const world = await openWorld(devnet(), { policy: lenient, funds: { ETH: '0.5' } })
  const entry = { token0: 'WETH', token1: 'USDC', fee: 3_000, amount0: '0.1', rangeStrategy: 'full' }
  const positionId = (await world.call('add_liquidity', entry)).text('positionId')
  const spender = devnet().chain.amm.v3!.swapRouter02
  const other = devnet().chain.amm.v3!.positionManager
  await world.call('approve_token', { token: 'USDC', spender: other, amount: '0.01' })
  const { maxFeePerGas } = await world.client.estimateFeesPerGas()
  const amount = formatEther((await world.balance('ETH')) - 1_500_000n * maxFeePerGas)
  await world.call('execute_swap', { tokenIn: 'ETH', tokenOut: 'USDC', amount, version: 'v3' })

  let [refused, calls] = ['', 0]
  while (refused === '' && calls < 120) {
    calls += 1
    const set = world.call('approve_token', { token: 'USDC', spender, amount: calls % 2 === 0 ? '0' : '0.01' })
    refused = await set.then(() => '', String)
  }
  expect(refused).toContain('is the gas of a removal, kept so that the owner can leave')
  await world.call('approve_token', { token: 'USDC', spender: other, amount: '0' })

  const left = await world.call('remove_liquidity', { positionId, slippageBps: 10_000 }).then(
    (answer) => answer.text('status'),
    (error: unknown) => String(error).slice(0, 300),
  )
  expect(left).toBe('success')
  await world.close()
})
