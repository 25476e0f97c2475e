import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { useTradingWorld } from '../liquidity/trading-routes.fixture.ts'
import { allowanceOf, mineBlocks } from './signed-order.fixture.ts'

const devnet = useDevnet()
const trading = useTradingWorld(devnet)
const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' }

test('an order is signed, filled by the real reactor, and followed by what the chain says', async () => {
  const world = await trading.open()
  const before = await world.balance('USDC')
  const answer = await world.call('submit_uniswapx_order', order)
  expect(answer.at('isAccepted')).toBe(true)
  expect(await allowanceOf(world, 'WETH')).toBe(10n ** 18n)
  const operationId = answer.text('operationId')
  const open = await world.call('get_operation', { operationId })
  expect(open.at('state')).toBe('open')
  const [txHash] = await trading.api().fillOrders()
  const filled = await world.call('get_operation', { operationId })
  expect(filled.at('state')).toBe('filled')
  expect(filled.at('result.txHash')).toBe(txHash)
  const came = (await world.balance('USDC')) - before
  expect(Number(filled.text('result.amountOut'))).toBe(Number(came) / 1e6)
  expect(Number(filled.text('result.amountOut'))).toBeGreaterThanOrEqual(Number(answer.text('minAmountOut')))
  await mineBlocks(devnet(), 3)
  await world.executor.reconcile()
  expect((await world.call('get_operation', { operationId })).at('result.isFinal')).toBe(true)
  expect(await world.store.ledger.open()).toEqual([])
})
