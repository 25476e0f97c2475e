import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { afterEach, expect, it } from 'vitest'
import { type Answer, answerOf } from '../tools/answer.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

async function earn(opened: Answer, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await devnet().trade(20, 3, [opened.text('pool.poolAddress') as `0x${string}`])
  }
}

/** What swaps took of WETH. */
function soldIn(result: unknown): number {
  const sold = answerOf(result)
    .list('consolidationSwaps')
    .filter((one) => one.text('tokenIn') === 'WETH')
  return sold.reduce((sum, one) => sum + Number(one.text('amountIn')), 0)
}

it('G13: a harvest that waited and goes on sells no more than its plan says', async () => {
  const policy = { ...devnetPolicy(), proxyDelay: true, delaySeconds: { routine: 0, standard: 600 } }
  world = await openWorld(devnet(), { policy })
  const range = { rangeStrategy: 'medium', slippageBps: 300 }
  const one = await world.call('add_liquidity', { token0: 'WETH', token1: 'USDC', amount0: '3', fee: 500, ...range })
  const other = await world.call('add_liquidity', {
    token0: 'DAI',
    token1: 'WETH',
    amount0: '3000',
    fee: 3_000,
    ...range,
  })
  await earn(one, 1)
  const args = { targetToken: 'USDC', idempotencyKey: 'harvest-again' }
  const scheduled = await world.call('harvest_rewards', args)
  const planned = scheduled.list('consolidationSwaps').map((swap) => Number(swap.text('amountIn')))
  await earn(one, 4)
  await earn(other, 1)
  world.clock.offsetMs += 601_000
  const [due] = await world.operations.due(5)
  const outcome = await world.dispatch.carryOutDue(due!)
  expect(outcome.ok).toBe(true)
  const operation = await world.call('get_operation', { operationId: scheduled.text('operationId') })
  const sold = [soldIn(operation.at('result'))]
  for (let turn = 0; turn < 2; turn += 1) sold.push(soldIn((await world.call('harvest_rewards', args)).data))
  const [most] = planned
  expect(sold).toEqual([most, most, most])
})
