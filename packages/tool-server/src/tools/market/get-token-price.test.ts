import { describeRefusals } from '../refusals.fixture.ts'
import { getTokenPrice } from './get-token-price.ts'

describeRefusals(getTokenPrice, { token: 'WETH', chain: 'base' }, { token: 'token', chain: 'chain', quote: 'token' })
