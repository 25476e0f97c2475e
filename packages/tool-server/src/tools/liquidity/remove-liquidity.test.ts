import { describeRefusals } from '../refusals.fixture.ts'
import { removeLiquidity } from './remove-liquidity.ts'

describeRefusals(
  removeLiquidity,
  { positionId: '12', chain: 'base' },
  {
    positionId: 'positionId',
    chain: 'chain',
    percentage: 'percentage',
    version: 'anyVersion',
    collectFees: 'flag',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)
