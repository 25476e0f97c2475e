import type { Principal } from '@svc/engine'
import { principalId } from './credentials.ts'

/**
 * Whether credentials like those a principal once came with would be taken now: its key or token is still one of the
 * server's. Whoever starts the process over stdio needs none. A stage that this server does not have is not in force.
 */
export function isInForce(principal: Pick<Principal, 'id' | 'stage'>, credentials: Credentials): boolean {
  if (principal.stage === 'local') return true
  if (principal.stage === 'bearer') {
    return credentials.token !== null && principal.id === principalId('bearer', credentials.token)
  }
  return (
    principal.stage === 'api-key' && credentials.apiKeys.some((key) => principal.id === principalId('api-key', key))
  )
}

/** What the server takes from callers now, in the clear. */
export type Credentials = { readonly apiKeys: readonly string[]; readonly token: string | null }
