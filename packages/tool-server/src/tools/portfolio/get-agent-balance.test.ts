import { describeRefusals } from '../refusals.fixture.ts'
import { getAgentBalance } from './get-agent-balance.ts'

describeRefusals(
  getAgentBalance,
  { chain: 'base', tokens: ['USDC'] },
  { address: 'address', chain: 'chain', tokens: 'tokens' },
)
