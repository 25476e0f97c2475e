import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool } from '../../ports.ts'
import { SubgraphError } from '../../subgraph/subgraph-error.ts'
import type { Period } from './read-periods.ts'

/**
 * Holds the last price that a subgraph tells against that of the pool now. A period of this bar or the one before may be off by a factor
 * of 2, as trade goes on while it is indexed; an older one means that nothing was traded since, and then the price is the same to a
 * thousandth. Throws `SubgraphError` `malformed`. `headTime` is in Unix seconds.
 */
export function requirePriceOfPool(
  newest: Pick<Period, 'startsAt' | 'price'>,
  { sqrtPriceX96, token0, token1 }: Pick<Pool, 'sqrtPriceX96' | 'token0' | 'token1'>,
  { headTime, barSeconds }: { readonly headTime: number; readonly barSeconds: number },
): void {
  if (sqrtPriceX96 === 0n) return
  const isRecent = headTime < newest.startsAt + 2 * barSeconds
  const off = Math.abs(Math.log(newest.price * priceFromSqrtPrice(sqrtPriceX96, token0.decimals, token1.decimals)))
  if (off <= (isRecent ? Math.LN2 : 1e-3)) return
  const problem = isRecent ? 'tells another price than the pool has' : 'lacks the last trades of the pool'
  throw new SubgraphError('malformed', problem)
}
