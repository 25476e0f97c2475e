import type { Principal } from '@svc/engine'
import { ToolError } from '@svc/amm'
import { isRecord } from '@svc/runtime'
import { quotable } from '../auth/authenticate.ts'
import { HttpRefusal } from './answers.ts'
import type { RequestContext } from './request-stages.ts'

/**
 * Has a client of an authorization server ask it for more (RFC 6750, `insufficient_scope`) before a call that its token does not cover; the
 * same token may be had with that scope. Others hear the same from the call itself, in words.
 */
export function requireScopes(
  message: unknown,
  principal: Principal,
  { signIn, missingScope, onScopeMissing }: Pick<RequestContext, 'signIn' | 'missingScope' | 'onScopeMissing'>,
): void {
  const resource = signIn?.resource ?? null
  if (principal.stage !== 'oauth' || resource === null) return
  const tool = calledTool(message)
  const scope = tool === null ? null : missingScope(principal, tool)
  if (tool === null || scope === null) return
  onScopeMissing?.({ principal: principal.id, tool, scope })
  const error = new ToolError(
    'INSUFFICIENT_KEY_TIER',
    `This token may not call ${tool}: it lacks the scope ${scope}.`,
    {
      suggestion: 'Ask the authorization server for a token that has this scope, too.',
      details: [{ message: 'What the tool needs.', scope }],
    },
  )
  const challenge = `Bearer realm="mcp", error="insufficient_scope", error_description="${quotable(error.message)}", ${resource.challenge(scope)}`
  throw new HttpRefusal(error, { 'www-authenticate': challenge })
}

function calledTool(message: unknown): string | null {
  if (!isRecord(message) || message['method'] !== 'tools/call') return null
  const { params } = message
  return isRecord(params) && typeof params['name'] === 'string' ? params['name'] : null
}
