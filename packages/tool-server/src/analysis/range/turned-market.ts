import type { RangeMarket } from '@svc/lp-math'

/** A market without drift as it is asked about in the other order of its tokens, again without drift: money counts in the other token. */
export function turnedMarket(market: RangeMarket): RangeMarket {
  const { model, profile, feesPerDay, value, gasCost, decimals0, decimals1 } = market
  return {
    ...market,
    model: { ...model, price: 1 / model.price },
    profile: { edges: profile.edges.map((edge) => 1 / edge).reverse(), liquidity: profile.liquidity.toReversed() },
    feesPerDay: feesPerDay / model.price,
    value: value / model.price,
    gasCost: gasCost / model.price,
    decimals0: decimals1,
    decimals1: decimals0,
  }
}
