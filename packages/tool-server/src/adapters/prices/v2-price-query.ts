import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { formatUnits } from 'viem'
import type { Token } from '../../ports.ts'
import { v2PairAddress } from '../liquidity/v2/pair-address.ts'
import { v2PairQuery } from '../liquidity/v2/pair-query.ts'
import { knownQuery, mapQuery, type Query } from '../rpc/query.ts'
import { fixedPrice } from './fixed-price.ts'
import type { PricePoint } from './price-point.ts'

/** What the v2 pair of a token against a quote token says. A pair tells no mean at one block; `readV2Mean` finds it. */
export function v2PriceQueries(chain: Chain, token: Token, quote: Token): readonly Query<PricePoint | null>[] {
  const { v2 } = chain.amm
  if (v2 === undefined) return []
  const tokenIs0 = BigInt(token.address) < BigInt(quote.address)
  const [token0, token1] = tokenIs0 ? [token, quote] : [quote, token]
  const pair = v2PairAddress(v2, token0.address, token1.address)
  const identity = knownQuery({ token0: token0.address, token1: token1.address })
  return [
    mapQuery(v2PairQuery(pair, identity), (state) => {
      if (state === null) return null
      const price = priceFromSqrtPrice(state.sqrtPriceX96, token0.decimals, token1.decimals)
      const [held, reserve] = tokenIs0 ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
      if (held === null || reserve === null || held === 0n) return null
      return {
        pool: pair,
        version: 'v2',
        side: { tokenIs0, tokenDecimals: token.decimals, quoteDecimals: quote.decimals },
        mean: null,
        meanE18: null,
        spotE18: fixedPrice(reserve, held, token.decimals, quote.decimals),
        spot: tokenIs0 ? price : 1 / price,
        depth: Number(formatUnits(reserve, quote.decimals)),
      }
    }),
  ]
}
