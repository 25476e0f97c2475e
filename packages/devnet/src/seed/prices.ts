import type { PlacedPool } from './layout.ts'
import { type Asset, tokenSpecs } from './token-specs.ts'

/** Dollars for one whole token at one moment. */
export type UsdPrices = Readonly<Record<Asset, number>>

/** Raw price of the pool's token0 in its token1, both counted in their smallest units. */
export function rawPrice(pool: PlacedPool, usd: UsdPrices): number {
  return (usd[pool.asset0] / usd[pool.asset1]) * 10 ** (decimalsOf(pool.asset1) - decimalsOf(pool.asset0))
}

/** sqrt(price) * 2^96 (Uniswap v3 whitepaper, 6.1), good to the 53 bits of a double: the chain is its own judge. */
export function toSqrtPriceX96(price: number): bigint {
  return BigInt(Math.round(Math.sqrt(price) * 2 ** 96))
}

export function decimalsOf(asset: Asset): number {
  return asset === 'ETH' ? 18 : (tokenSpecs.find((token) => token.symbol === asset)?.decimals ?? 18)
}

/** The smallest units of an asset that are worth so many dollars. */
export function unitsFor(asset: Asset, amountUsd: number, usd: UsdPrices): bigint {
  return BigInt(Math.round((amountUsd / usd[asset]) * 10 ** decimalsOf(asset)))
}
