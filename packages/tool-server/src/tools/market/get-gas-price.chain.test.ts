import { useDevnet } from '@svc/devnet/testing'
import { parseGwei } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeAll(async () => {
  world = await openWorld(devnet())
})
afterAll(async () => {
  await world.close()
})

test('get_gas_price gives the base fee of the head and what operations cost at it', async () => {
  const answer = await world.call('get_gas_price')
  const block = await world.client.getBlock({ blockNumber: BigInt(answer.number('blockNumber')) })
  expect(parseGwei(answer.text('baseFeeGwei'))).toBe(block.baseFeePerGas)
  const [slow, normal, fast] = ['slow', 'normal', 'fast'].map((speed) =>
    parseGwei(answer.text(`priorityFeeGwei.${speed}`)),
  )
  expect(slow! <= normal! && normal! <= fast!).toBe(true)
  expect(answer.number('estUsd.mint')).toBeGreaterThan(answer.number('estUsd.swap'))
})

test('the gas that get_gas_price reckons with is what the operations use', async () => {
  const gas = await world.call('get_gas_price')
  const perUnit = gas.number('estUsd.swap') / gasUnits.swap
  const used = async (name: string, args: Record<string, unknown>) => {
    const answer = await world.call(name, args)
    const receipt = await world.client.getTransactionReceipt({ hash: answer.text('txHash') as `0x${string}` })
    return { answer, gasUsed: Number(receipt.gasUsed) }
  }
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500 }
  const swap = await used('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', version: 'v3' })
  const mint = await used('add_liquidity', { ...pair, amount0: '1', rangeStrategy: 'medium' })
  const positionId = mint.answer.text('positionId')
  await devnet().trade(6, 1, [mint.answer.text('pool.poolAddress') as `0x${string}`])
  const collect = await used('collect_fees', { positionId })
  const decrease = await used('remove_liquidity', { positionId, percentage: 50 })
  const measured = { swap: swap.gasUsed, mint: mint.gasUsed, decrease: decrease.gasUsed, collect: collect.gasUsed }
  for (const [operation, units] of Object.entries(measured)) {
    const reckoned = gas.number(`estUsd.${operation}`) / perUnit
    expect([operation, Math.abs(units / reckoned - 1) < 0.15, units]).toEqual([operation, true, units])
  }
})

const gasUnits = { swap: 126_000 }
