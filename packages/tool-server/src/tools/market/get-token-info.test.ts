import { describeRefusals } from '../refusals.fixture.ts'
import { getTokenInfo } from './get-token-info.ts'

describeRefusals(getTokenInfo, { token: 'WETH', chain: 'base' }, { token: 'token', chain: 'chain' })
