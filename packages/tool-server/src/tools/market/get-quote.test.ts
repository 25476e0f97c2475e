import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { getQuote } from './get-quote.ts'
describeRefusals(
  getQuote,
  { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1.5', chain: '8453' },
  {
    tokenIn: 'token',
    tokenOut: 'token',
    amount: 'positiveAmount',
    chain: 'chain',
    type: 'quoteType',
    version: 'anyVersion',
    slippageBps: 'slippage',
  },
)

test('get_quote refuses one token on both sides, a currency and its wrapped form included', async () => {
  const args = { tokenIn: 'WETH', amount: '1', chain: 'base' }
  expect(await refusedFields(getQuote, { ...args, tokenOut: 'WETH' })).toEqual(['tokenOut'])
  expect(await refusedFields(getQuote, { ...args, tokenOut: 'ETH' })).toEqual(['tokenOut'])
})
