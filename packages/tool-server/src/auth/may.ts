import type { Tool } from '../tool.ts'
import type { KeyTier, Principal } from './principal.ts'

/**
 * Whether a principal may call a tool. A key is judged by its tier, a scoped token by its scopes; nothing is judged by a
 * tool's name.
 */
export function may(principal: Principal, tool: Pick<Tool, 'tier' | 'scope'>): boolean {
  if (principal.tier !== null) return rank[principal.tier] >= rank[tool.tier]
  return principal.scopes.has(tool.scope)
}

const rank: Readonly<Record<KeyTier, number>> = { read: 0, feedback: 1, write: 2 }
