import { expect, test } from 'vitest'
import { describeRefusals, refusalOf } from '../refusals.fixture.ts'
import { queryAgentIdentity } from './query-agent-identity.ts'

describeRefusals(
  queryAgentIdentity,
  { agentId: '8453:0', chain: 'base' },
  {
    agentId: 'agentId',
    chain: 'chain',
    address: 'address',
  },
)

test.each([
  ['neither', {}],
  ['both', { agentId: '1', address: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984' }],
  ['the agent of another chain', { agentId: '1:1' }],
])('query_agent_identity refuses %s', async (_what, args) => {
  const refusal = await refusalOf(queryAgentIdentity, { ...args, chain: 'base' })
  expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'agentId' }] })
})
