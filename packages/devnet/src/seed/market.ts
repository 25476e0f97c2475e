import type { PlacedPool } from './layout.ts'
import { type Asset, tokenSpecs } from './token-specs.ts'

/**
 * The market outside the chain, hour by hour: a geometric random walk for ether, a correlated one for bitcoin, and
 * stable coins that wander around a dollar and come back. Prices are those of `pricesNow` at hour `nowHour`, whatever
 * the seed; the seed decides the way there and from there on.
 */
export function createMarket(options: { readonly seed: string; readonly nowHour: number }): Market {
  const random = createRandom(`${options.seed}:market`)
  let last: Step = { eth: 0, btc: 0, usdt: 0, dai: 0 }
  const walk = [last]
  const stepAt = (hour: number): Step => {
    while (walk.length <= hour) {
      last = nextStep(last, random.normal)
      walk.push(last)
    }
    return walk[hour] ?? last
  }
  return {
    pricesAt: (hour) => {
      const [step, now] = [stepAt(hour), stepAt(options.nowHour)]
      const ETH = pricesNow.ETH * Math.exp(step.eth - now.eth)
      const WBTC = pricesNow.WBTC * Math.exp(step.btc - now.btc)
      return { ...pricesNow, ETH, WETH: ETH, WBTC, USDT: Math.exp(step.usdt), DAI: Math.exp(step.dai) }
    },
  }
}

type Market = {
  /** Prices after so many hours of the walk. */
  pricesAt(hour: number): UsdPrices
}

/** The market outside a running chain: what a pool that was pushed comes back to. Trades move it. */
export type LiveMarket = { usd: UsdPrices }

export const pricesNow: UsdPrices = {
  ETH: 3_000,
  WETH: 3_000,
  WBTC: 90_000,
  USDC: 1,
  USDT: 1,
  DAI: 1,
  FOT: 0.5,
  HOSTILE: 0.01,
}

/** Logarithms of the prices, up to a constant. */
type Step = { readonly eth: number; readonly btc: number; readonly usdt: number; readonly dai: number }

/** 55 % and 45 % a year, as an hour's standard deviation. */
const ethHourly = 0.55 / Math.sqrt(8_760)
const btcHourly = 0.45 / Math.sqrt(8_760)
const correlation = 0.8
/** A stable coin loses a tenth of its distance from a dollar each hour and is pushed by 0.6 basis points. */
const stableReturn = 0.9
const stableHourly = 0.00006

function nextStep(last: Step, normal: () => number): Step {
  const [common, own] = [normal(), normal()]
  return {
    eth: last.eth + ethHourly * common,
    btc: last.btc + btcHourly * (correlation * common + Math.sqrt(1 - correlation ** 2) * own),
    usdt: last.usdt * stableReturn + stableHourly * normal(),
    dai: last.dai * stableReturn + stableHourly * normal(),
  }
}

/** A stream of random numbers that its seed determines. */
export function createRandom(seed: string): Random {
  let state = hash(seed)
  const next = () => {
    // splitmix32 (Steele, Lea, Flood 2014, in its 32-bit form)
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  return {
    next,
    // Box-Muller; 1 - u keeps the logarithm away from zero.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    below: (bound) => Math.floor(next() * bound),
  }
}

export type Random = {
  /** Uniform in [0, 1). */
  readonly next: () => number
  /** Normal, mean 0 and deviation 1. */
  readonly normal: () => number
  /** A whole number from 0 to one below the bound. */
  readonly below: (bound: number) => number
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value
}

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
