import { describeRefusals } from '../refusals.fixture.ts'
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
