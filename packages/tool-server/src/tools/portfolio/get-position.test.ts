import { describeRefusals } from '../refusals.fixture.ts'
import { getPosition } from './get-position.ts'

describeRefusals(
  getPosition,
  { positionId: '0', chain: 'base' },
  { positionId: 'positionId', chain: 'chain', version: 'rangedVersion' },
)
