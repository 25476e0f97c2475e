import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { executeSwap } from './execute-swap.ts'
describeRefusals(
  executeSwap,
  { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.000001', chain: 'base' },
  {
    tokenIn: 'token',
    tokenOut: 'token',
    amount: 'positiveAmount',
    chain: 'chain',
    version: 'anyVersion',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)

test('execute_swap refuses one token on both sides, a currency and its wrapped form included', async () => {
  const args = { tokenIn: 'WETH', amount: '1', chain: 'base' }
  expect(await refusedFields(executeSwap, { ...args, tokenOut: 'WETH' })).toEqual(['tokenOut'])
  expect(await refusedFields(executeSwap, { ...args, tokenOut: 'ETH' })).toEqual(['tokenOut'])
})
