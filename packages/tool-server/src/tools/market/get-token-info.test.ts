import { describeRefusals } from '../refusals.fixture.ts'
import { getTokenInfo } from './tokens.ts'

describeRefusals(getTokenInfo, { token: 'WETH', chain: 'base' }, { token: 'token', chain: 'chain' })
