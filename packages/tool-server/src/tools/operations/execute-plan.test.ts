import { describeRefusals } from '../refusals.fixture.ts'
import { executePlan } from './operations.ts'

describeRefusals(
  executePlan,
  { planId: 'f7b6a1f0-6ac6-4a35-8ad6-2d4f5a1c9f10' },
  { planId: 'operationId', planHash: 'planHash' },
)
