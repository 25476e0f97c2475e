import type { AgentRole } from '@svc/wallet/core'
import { type Principal, type Scope, scopes } from '../call/call.ts'
import { type Policy, usdMicros } from './policy.ts'
import type { Refusal } from '../call/refusal.ts'

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

/**
 * The policy as it holds for one caller: the lower of the common limits and of those granted to the principal; its
 * own 24 hours stand beside those of all callers. A grant cannot loosen anything, whatever it says.
 */
export function policyFor(policy: Policy, principalId: string): Policy {
  const grant = grantOf(policy, principalId)
  if (grant === undefined) return policy
  const { perTransaction, perSession, daily } = policy.limitsUsd
  const own = grant.limitsUsd
  return Object.freeze({
    ...policy,
    limitsUsd: {
      perTransaction: lower(perTransaction, own?.perTransaction),
      perSession: lower(perSession, own?.perSession),
      daily,
      ...(own?.daily === undefined ? {} : { principalDaily: lower(daily, own.daily) }),
    },
    approvalThresholdUsd:
      policy.approvalThresholdUsd === null
        ? (grant.approvalThresholdUsd ?? null)
        : lower(policy.approvalThresholdUsd, grant.approvalThresholdUsd),
  })
}

/** What the operator wrote down for a principal, if anything. */
export function grantOf({ principals }: Policy, principalId: string): Policy['principals'][string] | undefined {
  return Object.hasOwn(principals, principalId) ? principals[principalId] : undefined
}

/** Refuses a tool that the operator left out of what the caller may use. */
export function grantRefusals(tool: string, principalId: string, policy: Policy): readonly Refusal[] {
  const tools = grantOf(policy, principalId)?.tools
  if (tools === undefined || tools.includes(tool)) return []
  return [
    {
      code: 'PRINCIPAL_NOT_GRANTED',
      message: `The policy does not grant ${tool} to this caller.`,
      details: [{ message: 'what the policy grants', principal: principalId, tools }],
    },
  ]
}

function lower(common: string, granted: string | undefined): string {
  return granted !== undefined && usdMicros(granted) < usdMicros(common) ? granted : common
}
