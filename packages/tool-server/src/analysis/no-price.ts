import type { Chain } from '@svc/wallet/core'
import { mayPass, type PriceSource, type Token, ToolError } from '@svc/amm'

/**
 * The refusal of a pair that no dollars are known of: each token by the member that names it. It may be tried again where a
 * source that was named for one of them is silent or late.
 */
export async function noPrice(
  prices: Pick<PriceSource, 'doubt'>,
  chain: Chain,
  tokens: { readonly token0: Token; readonly token1: Token },
): Promise<ToolError> {
  const doubts = await Promise.all(Object.values(tokens).map((token) => prices.doubt(chain, token)))
  return new ToolError('PRICE_UNAVAILABLE', 'Neither token of this pair has a trustworthy price in US dollars.', {
    retryable: doubts.some(mayPass),
    details: Object.entries(tokens).map(([field, { address }]) => ({
      field,
      message: 'No pool of this token gives a price in US dollars.',
      accepted: 'a token that get_token_price knows a price of',
      token: address,
    })),
  })
}
