import type { Operation } from '@svc/store'
import type { Execute } from '@svc/amm'
import * as z from 'zod'

/** One call on its way: what the transaction pipeline, the log and the audit need to know of it. */
export type Call = {
  /** Correlation id, unique per call; journal and ledger rows carry it. */
  readonly requestId: string
  readonly tool: string
  readonly principal: Principal
  readonly dryRun: boolean
  readonly idempotencyKey: string | null
  /** The parsed arguments. */
  readonly input: Readonly<Record<string, unknown>>
  /** The stored operation that this call carries out: its plan bounds what may happen. `null` for a call of its own. */
  readonly carriesOut: Operation | null
  readonly signal: AbortSignal
  /**
   * Names this attempt of a call that goes on with what an earlier attempt began under the same `requestId`; absent for the first.
   */
  readonly attempt?: string
  /** Tells the caller how far the call is; absent where nobody asked. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

/** Opens the transaction pipeline for one call. */
export type OpenExecute = (call: Call) => Execute

/** Who is calling, whatever stage of authentication found out. Authorisation reads nothing else. */
export type Principal = {
  /** Stable and free of secrets: a key's digest prefix, an address, a subject. Sessions, limits and records hang on it. */
  readonly id: string
  readonly stage: 'local' | 'api-key' | 'bearer' | 'siwe' | 'oauth' | 'edge-access'
  /** Set where a tier of keys was used; a scoped token has none. */
  readonly tier: KeyTier | null
  readonly scopes: ReadonlySet<Scope>
  /** Unix milliseconds after which the principal must be authenticated anew, or `null`. */
  readonly expiresAt: number | null
  /** The registered agent as which a wallet signed in, `<chainId>:<tokenId>`; absent for everybody else. */
  readonly agentId?: string
  /** The id (`jti`) of the token of ours that a wallet came with, by which that token alone can be revoked; absent for everybody else. */
  readonly tokenId?: string
}

export type KeyTier = 'read' | 'feedback' | 'write'

/** The spec's six scopes, and `feedback` beside them. */
export const scopes = [
  'read:market',
  'read:portfolio',
  'write:trade',
  'write:liquidity',
  'write:vault',
  'admin:wallet',
  'feedback',
] as const

export type Scope = (typeof scopes)[number]

/** Those that nobody has who is not known. */
export const grantableScopes = ['write:trade', 'write:liquidity', 'write:vault', 'admin:wallet', 'feedback'] as const

/** A principal as JSON: who it is and what it may do, so that what it asked for can be carried out later. */
export function storePrincipal({ id, stage, tier, scopes: granted, agentId, tokenId }: Principal): string {
  return JSON.stringify({ id, stage, tier, scopes: [...granted], agentId, tokenId })
}

/** A principal from JSON. Throws where it is not one. It was authenticated when it asked, so it does not expire. */
export function readPrincipal(text: string): Principal {
  const { scopes: granted, agentId, tokenId, ...rest } = stored.parse(JSON.parse(text))
  const named = { ...(agentId !== undefined && { agentId }), ...(tokenId !== undefined && { tokenId }) }
  return { ...rest, scopes: new Set(granted), expiresAt: null, ...named }
}

const stored = z.strictObject({
  id: z.string().min(1),
  stage: z.enum(['local', 'api-key', 'bearer', 'siwe', 'oauth', 'edge-access']),
  tier: z.enum(['read', 'feedback', 'write']).nullable(),
  scopes: z.array(z.enum(scopes)),
  agentId: z.string().min(1).optional(),
  tokenId: z.string().min(1).optional(),
})
