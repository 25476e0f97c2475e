import { describeRefusals } from '../refusals.fixture.ts'
import { rebalancePosition } from './rebalance-position.ts'

describeRefusals(
  rebalancePosition,
  { positionId: '12', chain: 'base' },
  {
    positionId: 'positionId',
    chain: 'chain',
    token0: 'token',
    version: 'rangedVersion',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)
