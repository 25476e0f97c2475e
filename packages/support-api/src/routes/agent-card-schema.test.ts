import { requireAgentCard } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { testCard } from '../test-api.fixture.ts'
import { agentCardSchema } from './pin.ts'

const card = testCard()
const [domain] = card.domains
const many = <Item>(length: number, item: Item): Item[] => Array.from({ length }, () => item)

// What the description shows and what is accepted are written down twice; here they are held together.
it.each<[string, unknown]>([
  ['a good one', card],
  ['the longest texts', { ...card, name: 'a'.repeat(100), description: 'a'.repeat(2_000) }],
  ['a name too long', { ...card, name: 'a'.repeat(101) }],
  ['no name', { ...card, name: '' }],
  ['a description too long', { ...card, description: 'a'.repeat(2_001) }],
  ['a number for a name', { ...card, name: 1 }],
  ['sixteen domains', { ...card, domains: many(16, domain) }],
  ['seventeen domains', { ...card, domains: many(17, domain) }],
  ['a domain in capitals', { ...card, domains: [{ domain: 'Finance', primary: true }] }],
  ['a domain with a word more', { ...card, domains: [{ ...domain, more: 1 }] }],
  ['seventeen services', { ...card, services: many(17, card.services[0]) }],
  ['another protocol', { ...card, services: [{ type: 'rest', url: 'https://a.example' }] }],
  ['an address that is a file', { ...card, services: [{ type: 'mcp', url: 'file:///etc' }] }],
  ['an address that is none', { ...card, services: [{ type: 'mcp', url: 'agent' }] }],
  ['an address too long', { ...card, services: [{ type: 'mcp', url: `https://a.example/${'a'.repeat(500)}` }] }],
  ['trust in words', { ...card, trust: { ...card.trust, zkml: 'no' } }],
  ['trust in part', { ...card, trust: { reputation: true } }],
  ['no metadata', { ...card, metadata: {} }],
  ['metadata that is a number', { ...card, metadata: { a: 1 } }],
  ['a key with a space', { ...card, metadata: { 'a b': 'c' } }],
  ['the key that registries keep', { ...card, metadata: { agentWallet: '0x' } }],
  ['a value too long', { ...card, metadata: { a: 'b'.repeat(501) } }],
  ['a field too many', { ...card, more: 1 }],
  ['a list', [card]],
  ['nothing', null],
])('%s is to the description what it is to the check', (_what, value) => {
  expect(agentCardSchema.safeParse(value).success).toBe(isAccepted(value))
})

function isAccepted(value: unknown): boolean {
  try {
    requireAgentCard(value)
    return true
  } catch {
    return false
  }
}
