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
