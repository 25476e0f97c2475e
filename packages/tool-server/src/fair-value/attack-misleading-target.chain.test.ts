import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: a token whose text is made to mislead is bought with a person alone, by a harvest as well', async () => {
  const lenient = { version: 1, allowlist: { mode: 'lenient' } } as const
  const opened = await openAfter(
    devnet(),
    (before) =>
      before.call('add_liquidity', { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'narrow', amount0: '3' }),
    { policy: lenient },
  )
  world = opened.world
  await openStranger(devnet())
  await devnet().trade(60, 3, [opened.outcome.text('pool.poolAddress') as `0x${string}`])
  await syncClock(world)
  const token = world.address('HOSTILE')
  const swap = await world.refuse('execute_swap', { tokenIn: 'USDC', tokenOut: token, amount: '1' })
  const before = await world.balance('HOSTILE')
  const harvested = await world.call('harvest_rewards', { targetToken: token, minHarvestUsd: 0 }).then(
    (answer) => JSON.stringify(answer.at('consolidationSwaps')).slice(0, 600),
    (error: unknown) => (error instanceof Error ? error.message.slice(0, 800) : ''),
  )
  const bought = Number((await world.balance('HOSTILE')) - before) / 1e18
  expect({ swap: swap.code, bought, harvested }).toMatchObject({ swap: 'APPROVAL_REQUIRED', bought: 0 })
})
