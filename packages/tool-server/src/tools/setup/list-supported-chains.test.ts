import { describeRefusals } from '../refusals.fixture.ts'
import { listSupportedChains } from './list-supported-chains.ts'

describeRefusals(listSupportedChains, {}, { includeTestnets: 'flag' })
