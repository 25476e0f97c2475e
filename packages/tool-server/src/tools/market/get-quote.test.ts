import { describeRefusals } from '../refusals.fixture.ts'
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
