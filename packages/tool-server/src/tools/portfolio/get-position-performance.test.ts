import { describeRefusals } from '../refusals.fixture.ts'
import { getPositionPerformance } from './get-position-performance.ts'

describeRefusals(
  getPositionPerformance,
  { positionId: '0', chain: 'base' },
  { positionId: 'positionId', chain: 'chain', version: 'rangedVersion' },
)
