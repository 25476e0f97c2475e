import { describeRefusals } from '../refusals.fixture.ts'
import { compoundFees } from './fees-and-rewards.ts'

describeRefusals(
  compoundFees,
  { positionId: '12', chain: 'base' },
  {
    positionId: 'positionId',
    chain: 'chain',
    version: 'rangedVersion',
    swapToRatio: 'flag',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)
