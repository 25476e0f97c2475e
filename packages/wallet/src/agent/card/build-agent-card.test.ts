import { expect, test } from 'vitest'
import type { AgentRole } from './agent-card.ts'
import { buildAgentCard } from './build-agent-card.ts'
import { registrationFile } from './registration-file.ts'
import type { WalletError } from '../../wallet-error.ts'

const mcpEndpoint = 'https://agent.example/mcp'
const investment = { domain: 'finance_and_business/investment_services', primary: true }
const management = { domain: 'finance_and_business/asset_management', primary: false }
const software = { domain: 'technology/software_development', primary: false }

test.each([
  ['vault_participant', [investment]],
  ['vault_manager', [investment, management]],
  ['vault_creator', [investment, management, software]],
] satisfies [AgentRole, unknown][])('the template of %s', (role, domains) => {
  expect(buildAgentCard({ role, name: 'Ada', mcpEndpoint }, 8453)).toEqual({
    name: 'Ada',
    description: expect.stringMatching(/owner/),
    domains,
    services: [{ type: 'mcp', url: mcpEndpoint }],
    trust: { reputation: true, cryptoEconomic: true, zkml: false },
    metadata: { 'protocol:name': 'svc', role, 'vault:chain': '8453' },
  })
})

test.each([
  ['https://agent.example', 'https://agent.example/.well-known/agent.json'],
  ['https://agent.example:8443/', 'https://agent.example:8443/.well-known/agent.json'],
  ['https://agent.example/a2a', 'https://agent.example/a2a'],
  ['https://agent.example/a2a/', 'https://agent.example/a2a/'],
  ['https://agent.example/?agent=7', 'https://agent.example/?agent=7'],
  ['https://agent.example/.well-known/agent-card.json', 'https://agent.example/.well-known/agent-card.json'],
  ['https://agent.example/.well-known/agent.json', 'https://agent.example/.well-known/agent.json'],
])('the A2A endpoint %s is written as %s', (a2aEndpoint, url) => {
  const card = buildAgentCard({ role: 'vault_manager', name: 'Ada', a2aEndpoint }, 1)
  expect(card.services).toEqual([{ type: 'a2a', url }])
})

test('an agent without protocol and vaults says nothing of them', () => {
  const neutral = { domains: [], metadata: { 'protocol:name': '', 'vault:chain': '', team: '' } }
  const card = buildAgentCard({ role: 'vault_participant', name: 'Ada', ...neutral }, 1)
  expect(card.metadata).toEqual({ role: 'vault_participant', team: '' })
  expect(registrationFile(card).services).toEqual([])
})

test.each([[['a']], ['a'], [null], [5]])(
  'metadata that is no object of texts is refused as it stands: %j',
  (metadata) => {
    const options = { role: 'vault_manager', name: 'Ada', metadata: metadata as never } as const
    const fields = [{ field: 'metadata', accepted: 'an object of at most 32 texts' }]
    expect(() => buildAgentCard(options, 1)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_CARD_INVALID', details: { fields } }),
    )
  },
)

test('a manager may serve A2A, under the address of its card', () => {
  const card = buildAgentCard({ role: 'vault_manager', name: 'Ada', a2aEndpoint: 'https://agent.example/' }, 1)
  expect(card.services).toEqual([{ type: 'a2a', url: 'https://agent.example/.well-known/agent.json' }])
  expect(() =>
    buildAgentCard({ role: 'vault_participant', name: 'Ada', a2aEndpoint: 'https://agent.example' }, 1),
  ).toThrow(expect.objectContaining({ code: 'VALIDATION_CONFIG_INVALID' }))
})

test.each(['', 'https://agent.example/a.png', 'ipfs://bafy/a.png', 'data:image/png;base64,AA=='])(
  '%s is an image',
  (image) => {
    expect(buildAgentCard({ role: 'vault_manager', name: 'Ada', image }, 1).metadata['image']).toBe(image)
  },
)

test('every field of a template gives way to the option of its name', () => {
  const options = {
    description: 'Another.',
    domains: [{ domain: 'technology/blockchain', primary: true }],
    services: [{ type: 'mcp', url: 'https://other.example' } as const],
    trust: { reputation: false, cryptoEconomic: false, zkml: true },
  }
  const card = buildAgentCard(
    { role: 'vault_creator', name: 'Ada', ...options, metadata: { 'vault:chain': '1', a: 'b' } },
    5,
  )
  expect(card).toMatchObject(options)
  expect(card.metadata).toEqual({ 'protocol:name': 'svc', role: 'vault_creator', 'vault:chain': '1', a: 'b' })
})

test.each([
  ['name', { name: '' }],
  ['name', { name: undefined }],
  ['name', { name: '   ' }],
  ['name', { name: '\u00a0\u3000' }],
  ['name', { name: '\u3164' }],
  ['name', { name: '\u2800' }],
  ['description', { description: ' ' }],
  ['name', { name: 'Ada\u202e' }],
  ['name', { name: 'Ada\u200b' }],
  ['name', { name: 'A\u200dda' }],
  ['name', { name: 'Ada\u001b[2J' }],
  ['name', { name: 'A\u0434a' }],
  ['name', { name: '\uff21da' }],
  ['name', { name: '\u{1d400}da' }],
  ['name', { name: 'a'.repeat(1_048_576) }],
  ['name', { name: 'Ada\ud800' }],
  ['description', { description: 'a\nb' }],
  ['mcpEndpoint', { mcpEndpoint: 'file:///etc/passwd' }],
  ['mcpEndpoint', { mcpEndpoint: 'https://user:word@agent.example' }],
  ['mcpEndpoint', { mcpEndpoint: `https://agent.example/${'a'.repeat(500)}` }],
  ['mcpEndpoint', { mcpEndpoint: 'javascript:alert(1)' }],
  ['mcpEndpoint', { mcpEndpoint: 'java\nscript:alert(1)' }],
  ['mcpEndpoint', { mcpEndpoint: 'https://agent.example/\n' }],
  ['mcpEndpoint', { mcpEndpoint: 'https://\u0430gent.example/mcp' }],
  ['mcpEndpoint', { mcpEndpoint: 'https:\\\\agent.example\\mcp' }],
  ['a2aEndpoint', { mcpEndpoint: 'https://agent.example', a2aEndpoint: 'agent.example' }],
  ['services[0].url', { mcpEndpoint: 'agent.example', services: [{ type: 'mcp', url: 'agent.example' }] }],
  ['metadata.image', { image: 'ipfs://a', metadata: { image: 'ipfs://a b' } }],
  ['domains[0].domain', { domains: [{ domain: 'Finance', primary: true }] }],
  ['domains[0].more', { domains: [{ domain: 'finance', primary: true, more: 1 }] }],
  ['trust.zkml', { trust: { reputation: true, cryptoEconomic: true, zkml: 'no' } }],
  ['metadata.a b', { metadata: { 'a b': 'c' } }],
  ['metadata.a', { metadata: { a: 1 } }],
  ['image', { image: 'javascript:alert(1)' }],
  ['image', { image: 'data:text/html,<script>' }],
  ['image', { image: 'ipfs://a b' }],
  ['trust.??2J', { trust: { reputation: true, cryptoEconomic: true, zkml: true, '\u001b[2J': true } }],
  [
    'card',
    {
      metadata: Object.fromEntries(Array.from({ length: 29 }, (_, index) => [`key${index}`, '\u{10000}'.repeat(250)])),
      domains: [],
      services: Array.from({ length: 16 }, () => ({ type: 'mcp', url: `https://a.example/${'a'.repeat(470)}` })),
    },
  ],
])('a card whose %s is wrong is refused by that name: %#', (field, options) => {
  const build = () => buildAgentCard({ role: 'vault_manager', name: 'Ada', ...(options as object) }, 1)
  let error: WalletError | null = null
  try {
    build()
  } catch (thrown) {
    error = thrown as WalletError
  }
  expect(error).toMatchObject({ code: 'VALIDATION_CARD_INVALID' })
  expect(error?.details['fields']).toEqual([{ field, accepted: expect.any(String) }])
})

test.each(['Ада', 'Ἀθηνᾶ', 'Ада & Ada', 'आदा', '艾达', 'Zoë №½ ™', '👩‍🚀 Ada'])('%s is a name', (name) => {
  expect(buildAgentCard({ role: 'vault_manager', name }, 1).name).toBe(name)
})

test('a card that is wrong everywhere is refused in a short message', () => {
  const trust = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${index}`.repeat(1_000), true]))
  const build = () => buildAgentCard({ role: 'vault_manager', name: 'Ada', trust: trust as never }, 1)
  expect(build).toThrow(expect.objectContaining({ code: 'VALIDATION_CARD_INVALID' }))
  expect(build).toThrow(/^.{1,4000}$/)
})

test('an unknown role is refused', () => {
  expect(() => buildAgentCard({ role: 'toString' as AgentRole, name: 'Ada' }, 1)).toThrow(/vault_participant/)
})
