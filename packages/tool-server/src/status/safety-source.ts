import type { Principal, RoleFacts, SafetyReport } from '@svc/engine'

/** Where limits, budgets and switches of a server are looked up as they stand now. */
export type SafetySource = {
  readonly safety: (principal: Principal) => Promise<SafetyReport>
  readonly underWay: () => number
  /** Whether it writes. */
  readonly role?: () => RoleFacts
}

/** Whose session nothing was spent in: what is of all callers is the same for anybody. */
export const nobody: Principal = { id: 'watchers', stage: 'local', tier: null, scopes: new Set(), expiresAt: null }
