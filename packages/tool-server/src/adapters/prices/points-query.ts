import type { Chain } from '@svc/wallet/core'
import type { Token } from '../../ports.ts'
import { joinQueries, mapQuery, type Query } from '../rpc/query.ts'
import type { PricePoint } from './price-point.ts'
import { v2PriceQueries } from './v2-price-query.ts'
import { v3PriceQueries } from './v3-price-query.ts'

/** Everything that the v2 and v3 pools of a token against any of the quote tokens say about its price. */
export function pointsQuery(chain: Chain, token: Token, quotes: readonly Token[]): Query<readonly PricePoint[]> {
  const others = quotes.filter(({ address }) => address !== token.address)
  const queries = others.flatMap((quote) =>
    v3PriceQueries(chain, token, quote).concat(v2PriceQueries(chain, token, quote)),
  )
  return mapQuery(joinQueries(queries), (points) => points.filter((point) => point !== null))
}
