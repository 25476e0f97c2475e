import { describeRefusals } from '../refusals.fixture.ts'
import { approveToken } from './approve-token.ts'

const spender = '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1'

describeRefusals(
  approveToken,
  { token: 'USDC', spender, amount: '0', chain: 'base' },
  { token: 'token', spender: 'address', amount: 'amount', chain: 'chain' },
)
