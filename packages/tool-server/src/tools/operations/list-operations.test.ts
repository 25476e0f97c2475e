import { describeRefusals } from '../refusals.fixture.ts'
import { listOperations } from './list-operations.ts'

describeRefusals(listOperations, {}, { state: 'operationState', limit: 'limit' })
