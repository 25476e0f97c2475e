import { amountsForV2Burn, getAmountOut, liquidityForV2Mint } from '@svc/lp-math'

/** What a v2 pair stores, changed in place. */
export type PairState = {
  reserve0: bigint
  reserve1: bigint
  totalSupply: bigint
  /** By owner. */
  shares: Map<string, bigint>
  price0Cumulative: bigint
  price1Cumulative: bigint
  /** Unix seconds of the last update. */
  updatedAt: number
}

export function createPair(reserve0: bigint, reserve1: bigint, owner: string, timestamp: number): PairState {
  const liquidity = liquidityForV2Mint(reserve0, reserve1, 0n, 0n, 0n)
  return {
    reserve0,
    reserve1,
    totalSupply: liquidity + 1000n,
    shares: new Map([[owner, liquidity]]),
    price0Cumulative: 0n,
    price1Cumulative: 0n,
    updatedAt: timestamp,
  }
}

export function pairAmountOut(pair: PairState, zeroForOne: boolean, amountIn: bigint): bigint {
  const [reserveIn, reserveOut] = zeroForOne ? [pair.reserve0, pair.reserve1] : [pair.reserve1, pair.reserve0]
  return getAmountOut(amountIn, reserveIn, reserveOut)
}

export function swapInPair(pair: PairState, zeroForOne: boolean, amountIn: bigint, timestamp: number): bigint {
  const amountOut = pairAmountOut(pair, zeroForOne, amountIn)
  accumulate(pair, timestamp)
  pair.reserve0 += zeroForOne ? amountIn : -amountOut
  pair.reserve1 += zeroForOne ? -amountOut : amountIn
  return amountOut
}

/** What must go in, roughly, for the price of token0 in token1 to come to `raw`; at most 0 where it lies on the other side. */
export function pairInputTo(pair: PairState, zeroForOne: boolean, raw: number): number {
  const [reserve0, reserve1] = [Number(pair.reserve0), Number(pair.reserve1)]
  const product = reserve0 * reserve1
  return zeroForOne ? Math.sqrt(product / raw) - reserve0 : Math.sqrt(product * raw) - reserve1
}

/** Gives the liquidity that was minted. */
export function mintInPair(
  pair: PairState,
  owner: string,
  amount0: bigint,
  amount1: bigint,
  timestamp: number,
): bigint {
  const liquidity = liquidityForV2Mint(amount0, amount1, pair.reserve0, pair.reserve1, pair.totalSupply)
  accumulate(pair, timestamp)
  pair.reserve0 += amount0
  pair.reserve1 += amount1
  pair.totalSupply += liquidity
  pair.shares.set(owner, (pair.shares.get(owner) ?? 0n) + liquidity)
  return liquidity
}

export function burnInPair(
  pair: PairState,
  owner: string,
  liquidity: bigint,
  timestamp: number,
): { readonly amount0: bigint; readonly amount1: bigint } {
  const amounts = amountsForV2Burn(liquidity, pair.reserve0, pair.reserve1, pair.totalSupply)
  accumulate(pair, timestamp)
  pair.reserve0 -= amounts.amount0
  pair.reserve1 -= amounts.amount1
  pair.totalSupply -= liquidity
  pair.shares.set(owner, (pair.shares.get(owner) ?? 0n) - liquidity)
  return amounts
}

/** Tokens sent to the pair, and `sync` called. */
export function donateToPair(pair: PairState, amount0: bigint, amount1: bigint, timestamp: number): void {
  accumulate(pair, timestamp)
  pair.reserve0 += amount0
  pair.reserve1 += amount1
}

/** Source: UniswapV2Pair `_update`. */
function accumulate(pair: PairState, timestamp: number): void {
  const elapsed = BigInt(timestamp - pair.updatedAt)
  if (elapsed > 0n) {
    pair.price0Cumulative = BigInt.asUintN(
      256,
      pair.price0Cumulative + ((pair.reserve1 << 112n) / pair.reserve0) * elapsed,
    )
    pair.price1Cumulative = BigInt.asUintN(
      256,
      pair.price1Cumulative + ((pair.reserve0 << 112n) / pair.reserve1) * elapsed,
    )
  }
  pair.updatedAt = timestamp
}
