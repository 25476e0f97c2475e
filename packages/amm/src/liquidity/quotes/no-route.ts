import type { Chain } from '@svc/wallet/core'
import type { QuoteRequest, Version } from '../../ports.ts'
import { tokenLabel } from '../../token-label.ts'
import { ToolError } from '../../tool-error.ts'

/** The refusal of a trade that no pools of its versions lead through: what was looked for, and which other versions do lead there. */
export function noRoute(chain: Chain, request: RequestedRoute, leading: readonly Version[]): ToolError {
  const { tokenIn, tokenOut, versions } = request
  const tokens = [tokenIn, tokenOut].map(tokenLabel)
  const way = versions.every((version) => version === 'v4') ? 'directly' : 'directly or over a token between them'
  const isOther = leading.length > 0
  const others = isOther ? `; of ${leading.join(', ')} some do` : ''
  const message = `No pools of ${versions.join(', ')} lead from ${tokens.join(' to ')} on ${chain.name} ${way}${others}.`
  const accepted = isOther ? leading : 'a token that tokenIn trades against'
  const field = isOther ? 'version' : 'tokenOut'
  return new ToolError('POOL_NOT_FOUND', message, {
    details: [{ field, message, accepted, tokens, versionsLookedFor: versions }],
    suggestion: isOther
      ? 'Leave version out, or name one that leads there.'
      : 'Check both tokens and the chain: search_pools with token shows what each of them trades against.',
  })
}

export type RequestedRoute = Pick<QuoteRequest, 'tokenIn' | 'tokenOut'> & { readonly versions: readonly Version[] }
