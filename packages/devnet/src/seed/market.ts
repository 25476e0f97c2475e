import type { UsdPrices } from './prices.ts'
import { createRandom } from './random.ts'

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

export type Market = {
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
