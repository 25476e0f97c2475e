import { getTickAtSqrtPrice, sqrtPriceFromAmounts } from '@svc/lp-math'
import { type Address, parseUnits } from 'viem'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { v2PairAddress } from '@svc/amm/liquidity'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { v3Path } from './attack-calls.fixture.ts'
import type { Stage } from './attack-row.fixture.ts'

/** A v3 pool that did not stand before, at a price of the stranger's choice: so many of `quote` for one `base`. */
export async function openV3Pool(
  { pipeline, stranger }: Stage,
  base: string,
  quote: string,
  fee: number,
  price: number,
): Promise<OpenedPool> {
  const { token0, token1, sqrtPriceX96 } = startOf(pipeline.token(base), pipeline.token(quote), [base, quote], price)
  const manager = pipeline.chain.amm.v3!.positionManager
  const args = [token0, token1, fee, sqrtPriceX96]
  await stranger.write(manager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', args)
  return { token0, token1, sqrtPriceX96, tick: getTickAtSqrtPrice(sqrtPriceX96) }
}

export type OpenedPool = {
  readonly token0: Address
  readonly token1: Address
  readonly sqrtPriceX96: bigint
  readonly tick: number
}

/** Sorted tokens and the square root price that one `base` for `price` of `quote` makes. */
export function startOf(
  base: Address,
  quote: Address,
  [baseSymbol, quoteSymbol]: readonly [string, string],
  price: number,
): Omit<OpenedPool, 'tick'> {
  const one = parseUnits('1', decimalsOf(baseSymbol))
  const paid = parseUnits(`${price}`, decimalsOf(quoteSymbol))
  return BigInt(base) < BigInt(quote)
    ? { token0: base, token1: quote, sqrtPriceX96: sqrtPriceFromAmounts({ amount0: one, amount1: paid }) }
    : { token0: quote, token1: base, sqrtPriceX96: sqrtPriceFromAmounts({ amount0: paid, amount1: one }) }
}

export function decimalsOf(symbol: string): number {
  return { USDC: 6, USDT: 6, WBTC: 8 }[symbol] ?? 18
}

/** Whole tokens in smallest units. */
export function units(symbol: string, amount: string): bigint {
  return parseUnits(amount, decimalsOf(symbol))
}

/** Where the pair of two tokens stands. */
export function pairOf({ chain, token }: Pipeline, one: string, other: string): Address {
  const [token0, token1] = [token(one), token(other)]
  const sorted = BigInt(token0) < BigInt(token1) ? ([token0, token1] as const) : ([token1, token0] as const)
  return v2PairAddress(chain.amm.v2!, ...sorted)
}

/** Sells so much in a v3 pool, whatever it brings. */
export async function pushV3(
  { pipeline, stranger }: Stage,
  sold: string,
  fee: number,
  bought: string,
  amount: string,
): Promise<void> {
  await stranger.swapV3(v3Path(pipeline, [sold, fee, bought]), units(sold, amount))
}
