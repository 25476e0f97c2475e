import { describeRefusals } from '../refusals.fixture.ts'
import { collectFees } from './fees-and-rewards.ts'

describeRefusals(
  collectFees,
  { positionId: '12', chain: 'base' },
  {
    positionId: 'positionId',
    chain: 'chain',
    version: 'rangedVersion',
    deadlineSeconds: 'deadline',
  },
)
