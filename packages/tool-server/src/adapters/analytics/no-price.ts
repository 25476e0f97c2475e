import type { Token } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/** The refusal of a pair that no dollars are known of: each token by the member that names it. */
export function noPrice(tokens: { readonly token0: Token; readonly token1: Token }): ToolError {
  return new ToolError('PRICE_UNAVAILABLE', 'Neither token of this pair has a trustworthy price in US dollars.', {
    details: Object.entries(tokens).map(([field, { address }]) => ({
      field,
      message: 'No pool of this token gives a price in US dollars.',
      accepted: 'a token that get_token_price knows a price of',
      token: address,
    })),
  })
}
