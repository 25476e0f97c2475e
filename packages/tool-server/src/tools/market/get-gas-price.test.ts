import { describeRefusals } from '../refusals.fixture.ts'
import { getGasPrice } from './get-gas-price.ts'

describeRefusals(getGasPrice, { chain: 'base' }, { chain: 'chain' })
