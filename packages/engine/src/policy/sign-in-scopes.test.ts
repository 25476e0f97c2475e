import { expect, it } from 'vitest'
import { readPrincipal, type Scope, storePrincipal } from '../call/call.ts'
import { parsePolicy } from './policy.ts'
import { isGranted, serviceScopes, type SignedIn, signInScopes } from './sign-in-scopes.ts'

const address = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const all = ['write:trade', 'write:liquidity', 'write:vault', 'admin:wallet', 'feedback']
const reads: readonly Scope[] = ['read:market', 'read:portfolio']
const policyOf = (signIn: object) => parsePolicy({ signIn }, { production: true })
const scopesOf = (signIn: object, caller: Partial<SignedIn>) => [
  ...signInScopes(policyOf(signIn), { address, agentId: '8453:17', role: 'vault_manager', ...caller }),
]

it('gives nothing but reading to whoever the policy does not name, whatever role they give themselves', () => {
  for (const role of ['vault_participant', 'vault_manager', 'vault_creator'] as const) {
    expect(scopesOf({}, { role })).toEqual(reads)
  }
})

it('gives of what is granted no more than the role suggests, and of what that suggests no more than is granted', () => {
  const wallets = { [address]: all }
  expect(scopesOf({ wallets }, { role: null })).toEqual(reads)
  expect(scopesOf({ wallets }, { role: 'vault_participant' })).toEqual([
    ...reads,
    'write:trade',
    'write:vault',
    'feedback',
  ])
  expect(scopesOf({ wallets }, {})).toEqual([...reads, 'write:trade', 'write:liquidity', 'write:vault', 'feedback'])
  expect(scopesOf({ wallets }, { role: 'vault_creator' })).toHaveLength(7)
  expect(scopesOf({ wallets: { [address]: ['write:liquidity'] } }, { role: 'vault_creator' })).toEqual([
    ...reads,
    'write:liquidity',
  ])
})

it('grants by address or by agent, and to nobody else', () => {
  const agents = { '8453:17': ['write:vault'] }
  expect(scopesOf({ agents }, {})).toEqual([...reads, 'write:vault'])
  expect(scopesOf({ agents, wallets: { [address]: ['feedback'] } }, {})).toEqual([...reads, 'write:vault', 'feedback'])
  for (const agentId of ['8453:18', '1:17', null, '__proto__']) expect(scopesOf({ agents }, { agentId })).toEqual(reads)
  for (const other of ['constructor', address.toLowerCase()])
    expect(scopesOf({ wallets: { [address]: all } }, { address: other })).toEqual(reads)
})

it('knows of a stored principal whether all that it had is still granted', () => {
  const signed = { id: `siwe:${address}`, stage: 'siwe', tier: null, expiresAt: 1 } as const
  const manager = { ...signed, scopes: new Set<Scope>([...reads, 'write:liquidity']), agentId: '8453:17' }
  const stored = readPrincipal(storePrincipal(manager))
  expect(stored).toEqual({ ...manager, expiresAt: null })
  expect(isGranted(policyOf({ agents: { '8453:17': ['write:liquidity'] } }), stored)).toBe(true)
  expect(isGranted(policyOf({ wallets: { [address]: ['write:liquidity', 'feedback'] } }), stored)).toBe(true)
  expect(isGranted(policyOf({ wallets: { [address]: ['write:trade'] } }), stored)).toBe(false)
  expect(isGranted(policyOf({}), { ...signed, scopes: new Set(reads) })).toBe(true)
})

it('grants to a service of an access edge by its id, and nothing but reading to others', () => {
  const policy = policyOf({ services: { 'a1.access': ['write:trade'] } })
  expect([...serviceScopes(policy, 'a1.access')]).toEqual([...reads, 'write:trade'])
  for (const other of ['a2.access', 'constructor', '__proto__'])
    expect([...serviceScopes(policy, other)]).toEqual(reads)
  const held = (id: string) => isGranted(policy, { id, scopes: new Set<Scope>(['read:market', 'write:trade']) })
  expect([held('edge-access:a1.access'), held('edge-access:a2.access'), held('siwe:a1.access')]).toEqual([
    true,
    false,
    false,
  ])
})
