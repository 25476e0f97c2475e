import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server'
import type { Principal } from '@svc/engine'

/** Who made a request; without one, whose connection it is. */
export type CallerOf = (context: ServerContext | null) => Principal

/** Takes principals through the protocol library, which hands on what a request was given to whatever answers it. */
export function createCarriedPrincipals(): CarriedPrincipals {
  const principals = new WeakMap<AuthInfo, Principal>()
  return {
    carry(principal) {
      const authInfo = { token: '', clientId: principal.id, scopes: [...principal.scopes] }
      principals.set(authInfo, principal)
      return authInfo
    },
    of(authInfo) {
      const principal = authInfo === undefined ? undefined : principals.get(authInfo)
      if (principal === undefined) throw new Error('A request reached the protocol without a principal.')
      return principal
    },
  }
}

export type CarriedPrincipals = {
  carry(principal: Principal): AuthInfo
  /** Throws where nobody was carried. */
  of(authInfo: AuthInfo | undefined): Principal
}
