import { expect, test } from 'vitest'
import { buildAgentCard } from './build-agent-card.ts'
import { registrationFile } from './registration-file.ts'

const card = buildAgentCard(
  {
    role: 'vault_creator',
    name: 'Ada',
    mcpEndpoint: 'https://agent.example/mcp',
    a2aEndpoint: 'https://agent.example',
  },
  8453,
)

test('says what the card says, in the shape of ERC-8004', () => {
  expect(registrationFile(card)).toEqual({
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name: 'Ada',
    description: card.description,
    image: '',
    services: [
      { name: 'MCP', endpoint: 'https://agent.example/mcp', version: '2025-06-18' },
      { name: 'A2A', endpoint: 'https://agent.example/.well-known/agent.json', version: '0.3.0' },
      {
        name: 'OASF',
        endpoint: 'https://github.com/agntcy/oasf/',
        version: '0.8',
        domains: [
          'finance_and_business/investment_services',
          'finance_and_business/finance',
          'technology/software_engineering/software_development',
        ],
      },
    ],
    x402Support: false,
    active: true,
    registrations: [],
    supportedTrust: ['reputation', 'crypto-economic'],
    domains: card.domains,
    trust: card.trust,
    metadata: card.metadata,
  })
})

test('never takes zero-knowledge proofs for an attested enclave', () => {
  const file = registrationFile({ ...card, trust: { reputation: false, cryptoEconomic: false, zkml: true } })
  expect(file.supportedTrust).toEqual(['zkml'])
})

test('names where the agent is registered and its image, once the card does', () => {
  const agentRegistry = 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
  const metadata = { ...card.metadata, registration: `${agentRegistry}/0`, image: 'https://a.example/a.png' }
  expect(registrationFile({ ...card, metadata })).toMatchObject({
    registrations: [{ agentId: 0, agentRegistry }],
    image: 'https://a.example/a.png',
  })
  expect(registrationFile({ ...card, metadata: { registration: 'eip155:1:0x/1' } }).registrations).toEqual([])
})
