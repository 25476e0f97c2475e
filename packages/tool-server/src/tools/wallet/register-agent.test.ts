import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { registerAgent } from './register-agent.ts'

const valid = { role: 'vault_manager', chain: 'base', name: 'Keeper' }

describeRefusals(registerAgent, valid, {
  role: 'agentRole',
  chain: 'chain',
  name: 'agentName',
  description: 'agentDescription',
  mcpEndpoint: 'endpoint',
  a2aEndpoint: 'endpoint',
  ipfsMode: 'ipfsMode',
  force: 'flag',
})

test('register_agent refuses an A2A endpoint of a participant, who serves nobody', async () => {
  const args = { ...valid, role: 'vault_participant', a2aEndpoint: 'https://agent.example' }
  expect(await refusalOf(registerAgent, args)).toMatchObject({ details: [{ field: 'a2aEndpoint' }] })
})

test('register_agent does not register where the registry does not show what the wallet has', async () => {
  const found = { agents: [], complete: false }
  const identities = { find: async () => found, count: async () => ({}) } as never
  expect(await refusalOf(registerAgent, valid, { ...untouchedWorld(), identities })).toMatchObject({
    code: 'AGENT_ID_UNKNOWN',
  })
})
