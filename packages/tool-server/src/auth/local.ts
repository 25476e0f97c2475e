import { type Principal, scopes } from '@svc/engine'

/** Whoever started the process over stdio: the operator's own agent, with every scope. */
export const localPrincipal: Principal = Object.freeze({
  id: 'local',
  stage: 'local',
  tier: null,
  scopes: new Set(scopes),
  expiresAt: null,
})
