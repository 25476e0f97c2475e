import { useDevnet } from '@svc/devnet/testing'
import { formatEther } from 'viem'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { lenient } from './plans.fixture.ts'

const devnet = useDevnet()

it('WINS. G13: an agent that sends no native currency cannot burn what the way home costs', async () => {
  const world = await openWorld(devnet(), { policy: lenient, funds: { ETH: '0.5' } })
  const entry = { token0: 'WETH', token1: 'USDC', fee: 3_000, amount0: '0.1', rangeStrategy: 'full' }
  const positionId = (await world.call('add_liquidity', entry)).text('positionId')
  const { maxFeePerGas } = await world.client.estimateFeesPerGas()
  const amount = formatEther((await world.balance('ETH')) - 1_500_000n * maxFeePerGas)
  await world.call('execute_swap', { tokenIn: 'ETH', tokenOut: 'USDC', amount, version: 'v3' })
  const spender = devnet().chain.amm.v3!.swapRouter02

  let [refused, calls] = ['', 0]
  while (refused === '' && calls < 120) {
    calls += 1
    const set = world.call('approve_token', { token: 'USDC', spender, amount: calls % 2 === 0 ? '0' : '0.01' })
    refused = await set.then(() => '', String)
  }

  const left = await world.call('remove_liquidity', { positionId, slippageBps: 10_000 }).then(
    (answer) => answer.text('status'),
    (error: unknown) => String(error).slice(0, 300),
  )
  expect(left).toBe('success')
  await world.close()
})
