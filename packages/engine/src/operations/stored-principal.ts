import * as z from 'zod'
import type { Principal } from '../principal.ts'
import { scopes } from '../scopes.ts'

/** A principal as JSON: who it is and what it may do, so that what it asked for can be carried out later. */
export function storePrincipal({ id, stage, tier, scopes: granted }: Principal): string {
  return JSON.stringify({ id, stage, tier, scopes: [...granted] })
}

/** A principal from JSON. Throws where it is not one. It was authenticated when it asked, so it does not expire. */
export function readPrincipal(text: string): Principal {
  const { scopes: granted, ...rest } = stored.parse(JSON.parse(text))
  return { ...rest, scopes: new Set(granted), expiresAt: null }
}

const stored = z.strictObject({
  id: z.string().min(1),
  stage: z.enum(['local', 'api-key', 'bearer', 'siwe', 'oauth', 'edge-access']),
  tier: z.enum(['read', 'feedback', 'write']).nullable(),
  scopes: z.array(z.enum(scopes)),
})
