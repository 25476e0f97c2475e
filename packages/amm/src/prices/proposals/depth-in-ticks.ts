import type { Chain } from '@svc/wallet/core'
import type { Liquidity } from '../../ports.ts'
import { amountsInTicks } from '../../liquidity/pools/read-pool-amounts.ts'
import type { PoolPlace } from '../named-tokens.ts'
import { depthReach, type PoolDepth } from '../band/pool-depth.ts'

/** What stands on both sides of a pool's price by its ticks, in whole quote tokens: the liquidity of the moment. */
export async function depthInTicks(
  liquidity: Pick<Liquidity, 'pool' | 'ticks'>,
  chain: Chain,
  { row, side }: Pick<PoolPlace, 'row' | 'side'>,
): Promise<PoolDepth> {
  const pool = await liquidity.pool(chain, row)
  const [up, down] = [1 + depthReach, 1 / (1 - depthReach)].map((factor) =>
    Math.floor(Math.log(factor) / Math.log(1.0001)),
  )
  const [above = 0, below = 0] = side.tokenIs0 ? [up, down] : [down, up]
  const span = { from: pool.tick - below, to: pool.tick + above }
  const held = amountsInTicks(pool, await liquidity.ticks(chain, pool, span.from, span.to), span)
  const [token, quote] = side.tokenIs0 ? [held.amount0, held.amount1] : [held.amount1, held.amount0]
  const rawPrice = (Number(pool.sqrtPriceX96) / 2 ** 96) ** 2
  const quotesForToken = side.tokenIs0 ? rawPrice : 1 / rawPrice
  const whole = 10 ** side.quoteDecimals
  return { tokenSide: (Number(token) * quotesForToken) / whole, quoteSide: Number(quote) / whole }
}
