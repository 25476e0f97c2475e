import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { submitUniswapxOrder } from './signed-orders.ts'

describeRefusals(
  submitUniswapxOrder,
  { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: 'base' },
  {
    tokenIn: 'token',
    tokenOut: 'token',
    amount: 'positiveAmount',
    chain: 'chain',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)

test('submit_uniswapx_order refuses one token on both sides', async () => {
  const args = { tokenIn: 'WETH', tokenOut: 'WETH', amount: '1', chain: 'base' }
  expect(await refusedFields(submitUniswapxOrder, args)).toEqual(['tokenOut'])
})
