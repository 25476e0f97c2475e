import { describeRefusals } from '../refusals.fixture.ts'
import { checkSafetyStatus } from './check-safety-status.ts'

describeRefusals(checkSafetyStatus, {}, {})
