import type { LiquidityProfile } from '@svc/lp-math'
import type { RangeAnswer } from '../../analysis/range/range-answer.ts'

/** What surrounds a choice of range in its picture: the price until now by the bar, and the pool's liquidity at the prices around. */
export function rangeSurroundings({ price, profile, ...known }: Known): RangeSurroundings {
  return { past: pastPrices(known), depth: depthOf(profile, price) }
}

/** The price until now at the close of each bar that is known, thinned to what can be distinguished. */
export function pastPrices({ closes, startsAt, barSeconds, nowSeconds }: KnownPast): readonly PastPrice[] {
  const past = [...startsAt].flatMap((begin, bar) => {
    const close = closes[bar]
    const days = (begin + barSeconds - nowSeconds) / 86_400
    return typeof close === 'number' && close > 0 && close < Infinity && days <= 0 ? [{ days, price: close }] : []
  })
  return thinned(past)
}

/** What a picture of a choice of range is made from. */
export type RangeResult = Omit<RangeAnswer, 'simulation'> & {
  readonly chain: { readonly name: string }
  readonly simulation?: RangeAnswer['simulation'] | undefined
} & Partial<RangeSurroundings>

export type RangeSurroundings = {
  /** `days` are negative: before now. */
  readonly past: readonly PastPrice[]
  /** Bands of prices beside each other, with the mean of the liquidity in each. */
  readonly depth: readonly DepthBand[]
}

export type PastPrice = { readonly days: number; readonly price: number }

export type DepthBand = { readonly priceLower: number; readonly priceUpper: number; readonly liquidity: number }

type Known = KnownPast & { readonly price: number; readonly profile: LiquidityProfile }

type KnownPast = {
  /** In the caller's order at the close of each bar; `null` where it is not known. */
  readonly closes: readonly (number | null)[]
  /** Unix seconds of each bar. */
  readonly startsAt: Iterable<number>
  readonly barSeconds: number
  readonly nowSeconds: number
}

const mostPoints = 360
const bands = 160
/** Prices are shown from a fourth of that of now to four times it. */
const reach = 4

function thinned(past: readonly PastPrice[]): readonly PastPrice[] {
  const step = Math.max(1, Math.ceil(past.length / mostPoints))
  return past.filter((_, index) => index % step === 0 || index === past.length - 1)
}

function depthOf(profile: LiquidityProfile, price: number): readonly DepthBand[] {
  const edge = (index: number) => (price / reach) * reach ** ((2 * index) / bands)
  return Array.from({ length: bands }, (_, index) => {
    const [priceLower, priceUpper] = [edge(index), edge(index + 1)]
    return { priceLower, priceUpper, liquidity: meanLiquidity(profile, priceLower, priceUpper) }
  })
}

/** By the logarithm of the price, over the part of each band of the profile that lies within. */
function meanLiquidity({ edges, liquidity }: LiquidityProfile, from: number, to: number): number {
  const shares = liquidity.reduce((sum, one, index) => {
    const [low, high] = [Math.max(from, edges[index] ?? 0), Math.min(to, edges[index + 1] ?? Infinity)]
    return high > low ? sum + one * Math.log(high / low) : sum
  }, 0)
  return shares / Math.log(to / from)
}
