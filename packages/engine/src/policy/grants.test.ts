import { expect, it, describe } from 'vitest'
import { readPrincipal, type Scope, storePrincipal } from '../call/call.ts'
import { parsePolicy } from './policy.ts'
import { isGranted, serviceScopes, type SignedIn, signInScopes, grantRefusals, policyFor } from './grants.ts'

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

describe('what the policy grants to one caller', () => {
  const policy = parsePolicy(
    {
      principals: {
        'api-key:7e57000000000000': {
          tools: ['collect_fees'],
          limitsUsd: { perTransaction: '20', daily: '100' },
          approvalThresholdUsd: '10',
        },
        'api-key:0000000000000000': {},
      },
    },
    { production: false },
  )

  it('is the lower of the common limits and its own', () => {
    expect(policyFor(policy, 'api-key:7e57000000000000')).toMatchObject({
      limitsUsd: { perTransaction: '20', perSession: '1000', daily: '2000', principalDaily: '100' },
      approvalThresholdUsd: '10',
    })
  })

  it('is the common policy for others, whatever their name', () => {
    expect(policyFor(policy, 'api-key:0000000000000000')).toMatchObject({
      limitsUsd: policy.limitsUsd,
      approvalThresholdUsd: '250',
    })
    for (const id of ['key:unknown', 'toString', '__proto__']) expect(policyFor(policy, id)).toBe(policy)
  })

  it('never loosens, whatever a grant says', () => {
    const loose = {
      ...policy,
      principals: {
        'api-key:7e57000000000000': {
          limitsUsd: { perTransaction: '900', daily: '9000' },
          approvalThresholdUsd: '900',
        },
      },
    }
    expect(policyFor(loose, 'api-key:7e57000000000000')).toMatchObject({
      limitsUsd: { ...policy.limitsUsd, principalDaily: '2000' },
      approvalThresholdUsd: '250',
    })
  })

  it('can ask for a person where the policy asks nobody', () => {
    const silent = { ...policy, approvalThresholdUsd: null }
    expect(policyFor(silent, 'api-key:7e57000000000000').approvalThresholdUsd).toBe('10')
    expect(policyFor(silent, 'api-key:0000000000000000').approvalThresholdUsd).toBeNull()
  })

  it('refuses the tools it leaves out, and no others', () => {
    expect(grantRefusals('execute_swap', 'api-key:7e57000000000000', policy)).toEqual([
      expect.objectContaining({ code: 'PRINCIPAL_NOT_GRANTED' }),
    ])
    expect(grantRefusals('collect_fees', 'api-key:7e57000000000000', policy)).toEqual([])
    expect(grantRefusals('execute_swap', 'api-key:0000000000000000', policy)).toEqual([])
    const none = { ...policy, principals: { 'api-key:7e57000000000000': { tools: [] } } }
    expect(grantRefusals('collect_fees', 'api-key:7e57000000000000', none)).toHaveLength(1)
  })
})
