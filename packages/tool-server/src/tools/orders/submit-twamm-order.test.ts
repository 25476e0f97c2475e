import { describeRefusals } from '../refusals.fixture.ts'
import { submitTwammOrder } from './twamm-orders.ts'

describeRefusals(
  submitTwammOrder,
  { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 3_600, chain: 'base' },
  {
    tokenIn: 'token',
    tokenOut: 'token',
    amount: 'positiveAmount',
    duration: 'orderDuration',
    chain: 'chain',
    pool: 'planHash',
  },
)
