import { describeRefusals } from '../refusals.fixture.ts'
import { cancelOperation } from './operations.ts'

describeRefusals(
  cancelOperation,
  { operationId: 'f7b6a1f0-6ac6-4a35-8ad6-2d4f5a1c9f10' },
  { operationId: 'operationId' },
)
