import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, refusedFields } from '../refusals.fixture.ts'
import { executeSwap } from './execute-swap.ts'
describeRefusals(
  executeSwap,
  { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.000001', chain: 'base' },
  {
    tokenIn: 'token',
    tokenOut: 'token',
    amount: 'positiveAmount',
    type: 'quoteType',
    chain: 'chain',
    version: 'anyVersion',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)

test('execute_swap refuses one token on both sides, a currency and its wrapped form included', async () => {
  const args = { tokenIn: 'WETH', amount: '1', chain: 'base' }
  expect(await refusedFields(executeSwap, { ...args, tokenOut: 'WETH' })).toEqual(['tokenOut'])
  for (const [tokenIn, tokenOut] of [
    ['WETH', 'ETH'],
    ['ETH', 'WETH'],
  ]) {
    const { message } = await refusalOf(executeSwap, { ...args, tokenIn, tokenOut })
    expect(message).toMatch(
      /ETH and WETH, .* no tool wraps or unwraps\. execute_swap and add_liquidity take ETH itself/,
    )
  }
})
