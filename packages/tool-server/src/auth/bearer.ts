import { digest, principalId, sameDigest } from './credentials.ts'
import { type Principal, scopes } from '@svc/engine'
import type { Stage } from './stage.ts'

/** The stage of the static bearer token (`MCP_AUTH_TOKEN`), which grants every scope. Other tokens are left to later stages. */
export function bearerStage(token: string): Stage {
  const known = digest(token)
  const principal: Principal = Object.freeze({
    id: principalId('bearer', token),
    stage: 'bearer',
    tier: null,
    scopes: new Set(scopes),
    expiresAt: null,
  })
  return ({ bearer }) => (bearer !== null && sameDigest(known, digest(bearer)) ? principal : null)
}
