import type { Chain } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import type { Pool, Quote, QuoteRequest } from '../../ports.ts'

/**
 * What gas costs in the token whose amount is not given (smallest units): what is bought for an exact input, what is paid for an exact
 * output. By the trade itself where the other token is native currency, else by the deepest pool of both; `null` where none tells.
 */
export function gasCost(
  chain: Chain,
  { tokenIn, tokenOut }: Pick<QuoteRequest, 'tokenIn' | 'tokenOut'>,
  { quote, pools, gasWei }: { readonly quote: Quote; readonly pools: readonly Pool[]; readonly gasWei: bigint },
): bigint | null {
  const natives = new Set<string>([chain.wrappedNative.address, zeroAddress])
  const isExactOut = quote.isExactOut === true
  const [token, given] = isExactOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  if (natives.has(token.address)) return gasWei
  const [amount, ofGiven] = isExactOut ? [quote.amountIn, quote.amountOut] : [quote.amountOut, quote.amountIn]
  if (natives.has(given.address)) return (gasWei * amount) / ofGiven
  const both = pools.filter(({ liquidity, token0, token1 }) => {
    const [one, other] = [token0.address, token1.address]
    return (
      liquidity > 0n && ((natives.has(one) && other === token.address) || (natives.has(other) && one === token.address))
    )
  })
  const [deepest] = both.toSorted((one, other) => (other.liquidity > one.liquidity ? 1 : -1))
  if (deepest === undefined) return null
  const price = deepest.sqrtPriceX96 ** 2n
  return natives.has(deepest.token0.address) ? (gasWei * price) >> 192n : (gasWei << 192n) / price
}
