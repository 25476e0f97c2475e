// The analytic layer of optimize_lp_range: a market prepared and 50 candidate ranges analysed, beside pools of few and of many ticks.
import { candidateRanges, chooseRange, createRangeAnalyser, liquidityProfile } from '@svc/lp-math'
import { figure } from './figure.mjs'
import { cpuMsOf } from './lp-world.mjs'
import { sized } from './size.mjs'

const rounds = sized(150, 2)
const halfWidths = Array.from({ length: 49 }, (_, index) => index + 1)

/** CPU time, least of the rounds; the compiler has warmed up in the first of them. */
export function measureRanges(report) {
  return [100, 1_000].flatMap((positions) => {
    const market = busyMarket(positions)
    const ticks = market.profile.edges.length - 2
    let [candidates, choice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < rounds; round += 1) {
      candidates = Math.min(
        candidates,
        cpuMsOf(() => candidateRanges(createRangeAnalyser(market), halfWidths)),
      )
      choice = Math.min(
        choice,
        cpuMsOf(() => chooseRange(createRangeAnalyser(market), 0.8)),
      )
    }
    report(`${ticks} ticks: 50 candidate ranges ${candidates.toFixed(2)} ms, search ${choice.toFixed(2)} ms`)
    return [
      figure({
        name: `analytic layer, 50 candidate ranges, ${ticks} initialised ticks`,
        value: candidates,
        unit: 'ms',
        reference: `CPU time, the preparation of the market included, least of ${rounds}`,
        bar: 5,
      }),
      figure({
        name: `search of the best range, ${ticks} initialised ticks`,
        value: choice,
        unit: 'ms',
        reference: `CPU time, the preparation of the market included, least of ${rounds}`,
      }),
    ]
  })
}

/** Overlapping positions around a price of 3,000: 100 of them have 190 initialised ticks, 1,000 have 1,300. */
function busyMarket(positions) {
  const tick = -196_256
  const nets = new Map()
  let active = 0n
  for (let index = 0; index < positions; index += 1) {
    const centre = tick + Math.round(6_000 * Math.sin(index * 1.7))
    const half = 20 + ((index * 7_919) % 6_000)
    const lower = Math.floor((centre - half) / 10) * 10
    const upper = Math.ceil((centre + half) / 10) * 10
    const liquidity = BigInt(1e15) * BigInt(1 + ((index * 31) % 97))
    nets.set(lower, (nets.get(lower) ?? 0n) + liquidity)
    nets.set(upper, (nets.get(upper) ?? 0n) - liquidity)
    if (lower <= tick && tick < upper) active += liquidity
  }
  const ticks = [...nets].map(([at, liquidityNet]) => ({ tick: at, liquidityNet })).toSorted((a, b) => a.tick - b.tick)
  return {
    model: { price: 1.0001 ** tick * 1e12, sigma: 0.7, drift: 0, years: 30 / 365 },
    profile: liquidityProfile({ ticks, tick, liquidity: active, decimals0: 18, decimals1: 6, inverted: false }),
    feesPerDay: 40_000,
    feePips: 500,
    blockSeconds: 12,
    value: 10_000,
    gasCost: 0,
    tickSpacing: 10,
    decimals0: 18,
    decimals1: 6,
  }
}
