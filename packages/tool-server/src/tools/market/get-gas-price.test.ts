import { describeRefusals } from '../refusals.fixture.ts'
import { getGasPrice } from './transactions.ts'

describeRefusals(getGasPrice, { chain: 'base' }, { chain: 'chain' })
