import type { AgentRole } from '@svc/wallet/core'
import { type Principal, type Scope, scopes } from '../call/call.ts'
import type { Policy } from './policy.ts'

/**
 * What a caller may do who signed in with a wallet: read, and of what the policy grants to the address or the agent as much as its role suggests.
 * A role is the word of whoever registered the agent, so by itself it gives nothing; neither does a grant to one who is registered as nothing.
 */
export function signInScopes(policy: Pick<Policy, 'signIn'>, caller: SignedIn): ReadonlySet<Scope> {
  const granted = grantedScopes(policy, caller)
  const suggested = caller.role === null ? [] : suggestedScopes[caller.role]
  return new Set(scopes.filter((scope) => reading.has(scope) || (granted.has(scope) && suggested.includes(scope))))
}

/** Who signed in, and as what. */
export type SignedIn = {
  /** With its checksum. */
  readonly address: string
  /** `<chainId>:<tokenId>`; `null` for one who is not registered. */
  readonly agentId: string | null
  readonly role: AgentRole | null
}

/** What a service may do that an access edge let in: read, and what the policy grants to the id of its token there. */
export function serviceScopes(policy: Pick<Policy, 'signIn'>, service: string): ReadonlySet<Scope> {
  return new Set([...reading, ...grantedToService(policy, service)])
}

/** Whether the policy still grants all that a caller once had who signed in with a wallet, or whom an access edge let in. */
export function isGranted(
  policy: Pick<Policy, 'signIn'>,
  principal: Pick<Principal, 'id' | 'scopes' | 'agentId'>,
): boolean {
  const granted = grantedTo(policy, principal)
  return [...principal.scopes].every((scope) => reading.has(scope) || granted.has(scope))
}

/** Whether it is a wallet to which nothing is granted: one person makes a thousand of those, so what they hold together is bounded. */
export function isPassing({ stage, scopes: had }: Pick<Principal, 'stage' | 'scopes'>): boolean {
  return stage === 'siwe' && [...had].every((scope) => reading.has(scope))
}

function grantedTo(
  policy: Pick<Policy, 'signIn'>,
  { id, agentId }: Pick<Principal, 'id' | 'agentId'>,
): ReadonlySet<Scope> {
  const service = /^edge-access:(.+)$/.exec(id)?.[1]
  if (service !== undefined) return grantedToService(policy, service)
  return grantedScopes(policy, { address: id.replace(/^siwe:/, ''), agentId: agentId ?? null })
}

function grantedToService({ signIn: { services } }: Pick<Policy, 'signIn'>, service: string): ReadonlySet<Scope> {
  return new Set<Scope>(Object.hasOwn(services, service) ? services[service] : [])
}

function grantedScopes(
  { signIn: { wallets, agents } }: Pick<Policy, 'signIn'>,
  { address, agentId }: Pick<SignedIn, 'address' | 'agentId'>,
): ReadonlySet<Scope> {
  const ofWallet = Object.hasOwn(wallets, address) ? (wallets[address as keyof typeof wallets] ?? []) : []
  const ofAgent = agentId !== null && Object.hasOwn(agents, agentId) ? (agents[agentId] ?? []) : []
  return new Set<Scope>([...ofWallet, ...ofAgent])
}

const reading: ReadonlySet<Scope> = new Set<Scope>(['read:market', 'read:portfolio'])

/** As the templates of the managed wallet have it: a participant trades and reaches vaults, positions are a manager's. */
const suggestedScopes: Readonly<Record<AgentRole, readonly Scope[]>> = {
  vault_participant: ['feedback', 'write:trade', 'write:vault'],
  vault_manager: ['feedback', 'write:trade', 'write:vault', 'write:liquidity'],
  vault_creator: ['feedback', 'write:trade', 'write:vault', 'write:liquidity', 'admin:wallet'],
}
