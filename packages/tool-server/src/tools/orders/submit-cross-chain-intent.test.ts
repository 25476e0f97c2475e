import { describeRefusals } from '../refusals.fixture.ts'
import { submitCrossChainIntent } from './signed-orders.ts'

describeRefusals(
  submitCrossChainIntent,
  { tokenIn: 'USDC', tokenOut: 'USDC', amount: '1', chain: 'base', destinationChain: 'arbitrum' },
  {
    tokenIn: 'token',
    tokenOut: 'token',
    amount: 'positiveAmount',
    chain: 'chain',
    destinationChain: 'chain',
    slippageBps: 'slippage',
    relayerFeeBps: 'relayerFee',
    deadlineSeconds: 'deadline',
  },
)
