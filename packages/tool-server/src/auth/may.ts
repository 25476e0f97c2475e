import { ToolError } from '@svc/amm'
import type { Tool } from '../tool.ts'
import type { KeyTier, Principal, Scope } from '@svc/engine'

/**
 * Whether a principal may call a tool. A key is judged by its tier, a scoped token by its scopes; nothing is judged by a
 * tool's name. A tool that acts on stored writes is open to whoever may write anything: the write itself is judged when
 * it is known.
 */
export function may(principal: Principal, tool: Pick<Tool, 'tier' | 'scope'>): boolean {
  if (principal.tier !== null) return rank[principal.tier] >= rank[tool.tier]
  const { scope } = tool
  return scope === 'of-operation' ? writing.some((one) => principal.scopes.has(one)) : principal.scopes.has(scope)
}

/** Throws `INSUFFICIENT_KEY_TIER` naming what the tool needs. */
export function requireAccess(tool: Pick<Tool, 'name' | 'tier' | 'scope'>, principal: Principal): void {
  if (may(principal, tool)) return
  const { name, scope } = tool
  const lacking = scope === 'of-operation' ? 'any scope that writes' : `the scope ${scope}`
  const message =
    principal.tier === null ? `This token may not call ${name}: it lacks ${lacking}.` : `This key may not call ${name}.`
  throw new ToolError('INSUFFICIENT_KEY_TIER', message, {
    details: [{ message: 'What the tool needs.', tier: tool.tier, scope }],
  })
}

const rank: Readonly<Record<KeyTier, number>> = { read: 0, feedback: 1, write: 2 }

const writing: readonly Scope[] = ['write:trade', 'write:liquidity', 'write:vault', 'admin:wallet']
