// How often a simulation that is right says that it is not: calls of which the farthest figure lies above 4 standard errors, as
// `maxStandardErrorsOff` reports it. `--calls N` of the whole form; the ranges and figures are those that a call of the tool compares.
import {
  createSimulation,
  expectedIl,
  farthestOff,
  standardErrorsOff,
  stayInRangeProbability,
  terminalInRangeProbability,
  timeInRange,
} from '@svc/lp-math'
import { figure } from './parts/figure.mjs'
import { sized } from './parts/size.mjs'

const price = 2_000
const halves = [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75]
const bounds = [
  ...halves.map((half) => ({ lower: price * (1 - half), upper: price * (1 + half) })),
  { lower: 1_500, upper: 2_200 },
  { lower: 0, upper: Number.POSITIVE_INFINITY },
]
const markets = [
  { sigma: 0.05, days: 30, paths: 5_000 },
  { sigma: 0.5, days: 30, paths: 5_000 },
  { sigma: 0.8, days: 7, paths: 5_000 },
  { sigma: 0.8, days: 30, paths: 5_000 },
  { sigma: 0.8, days: 30, paths: 1_000 },
  { sigma: 1.5, days: 90, paths: 1_000 },
  { sigma: 0.8, days: 30, paths: 64 },
  { sigma: 5, days: 365, paths: 5_000 },
]

export async function run(report) {
  const asked = process.argv.indexOf('--calls')
  const calls = asked === -1 ? sized(100_000, 80) : Number(process.argv[asked + 1])
  const each = Math.ceil(calls / markets.length)
  const off = markets.flatMap((market) => {
    const own = farthest(market, each)
    const worst = Math.max(...own).toFixed(2)
    report(
      `${market.sigma} a year, ${market.days} days, ${market.paths} paths: ${own.filter((one) => one > 4).length} of ${each} above 4, worst ${worst}`,
    )
    return own
  })
  const above = off.filter((one) => one > 4).length
  const stay = narrowStay(sized(40, 2))
  return [
    figure({
      name: 'stated error of the probability to stay within ±10 %',
      value: stay.stated / stay.scatter,
      unit: 'x',
      reference: `median ${stay.stated.toExponential(1)} of the seeds, 80 % a year, 30 days, 5,000 paths; they lie ${stay.scatter.toExponential(1)} about the closed form`,
      exact: true,
    }),
    figure({
      name: 'calls that say something is wrong where nothing is',
      value: (100_000 * above) / off.length,
      unit: 'per 100k',
      reference: `${above} of ${off.length} calls; what is meant`,
      bar: 1,
      exact: true,
    }),
    figure({
      name: 'the farthest of all calls',
      value: Math.max(...off),
      unit: 'errors',
      reference: `${off.length} calls`,
      exact: true,
    }),
  ]
}

/** How far the farthest figure of each call lies, one call a seed. */
function farthest({ sigma, days, paths }, calls) {
  const model = { price, sigma, drift: 0, years: days / 365 }
  const truths = bounds.map((range) => [
    timeInRange(range, model),
    terminalInRangeProbability(range, model),
    stayInRangeProbability(range, model),
    expectedIl(range, model),
  ])
  const offOf = (of, index) =>
    [of.timeInRange, of.terminalInRange, of.stayInRange, of.il].map((estimate, at) =>
      standardErrorsOff(estimate, truths[index][at], of.replicates),
    )
  return Array.from({ length: calls }, (_, seed) => {
    const simulation = createSimulation({ model, bounds, paths, steps: 30, seed })
    simulation.advance(simulation.paths)
    return farthestOff(simulation.result().flatMap(offOf))
  })
}

/** What simulations say of the error of a probability near 0, and how far they lie about the true one (root mean square). */
function narrowStay(seeds) {
  const range = { lower: price * 0.9, upper: price * 1.1 }
  const model = { price, sigma: 0.8, drift: 0, years: 30 / 365 }
  const truth = stayInRangeProbability(range, model)
  const said = Array.from({ length: seeds }, (_, seed) => {
    const simulation = createSimulation({ model, bounds: [range], paths: 5_000, steps: 30, seed })
    simulation.advance(simulation.paths)
    return simulation.result()[0].stayInRange
  })
  const errors = said.map(({ standardError }) => standardError).toSorted((a, b) => a - b)
  const squares = said.map(({ mean }) => (mean - truth) ** 2)
  return {
    stated: errors[Math.floor(errors.length / 2)],
    scatter: Math.sqrt(squares.reduce((sum, one) => sum + one, 0) / squares.length),
  }
}
