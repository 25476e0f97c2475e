import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { getAgentBalance } from './get-agent-balance.ts'
describeRefusals(
  getAgentBalance,
  { chain: 'base', tokens: ['USDC'] },
  { address: 'address', chain: 'chain', tokens: 'tokens' },
)

test('get_agent_balance asks for an address where the server has no wallet', async () => {
  const refusal = await refusalOf(getAgentBalance, { chain: 'base' }, { ...untouchedWorld(), agentAddress: null })
  expect(refusal.details).toEqual([expect.objectContaining({ field: 'address', accepted: 'an address' })])
})
