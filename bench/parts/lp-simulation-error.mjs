// How far the simulation lies from the closed forms: against plain Monte Carlo of the same CPU time, and at the default of 5,000 paths.
import { createRandom, expectedIl, impermanentLoss, standardErrorsOff, timeInRange } from '@svc/lp-math'
import { figure } from './figure.mjs'
import { cpuMsOf, finiteRanges, model, simulate } from './lp-world.mjs'
import { sized } from './size.mjs'

const paths = 5_000
const steps = 30
const seeds = sized(40, 4)
/** For how far a call may be off, which few seeds do not tell. */
const moreSeeds = sized(300, 8)

export function measureSimulationError(report) {
  const truths = finiteRanges.map((range) => ({ il: expectedIl(range, model), time: timeInRange(range, model) }))
  const runs = { ours: [], plain: [] }
  const cpuMs = { ours: 0, plain: 0 }
  for (let seed = -5; seed < seeds; seed += 1) {
    let [ours, plain] = [[], []]
    const oursMs = cpuMsOf(() => (ours = simulate({ bounds: finiteRanges, paths, steps, seed: seed + 5 })))
    const plainMs = cpuMsOf(() => (plain = simulatePlainly(seed + 5)))
    if (seed < 0) continue
    runs.ours.push(ours)
    runs.plain.push(plain)
    cpuMs.ours += oursMs
    cpuMs.plain += plainMs
  }
  const meanSquare = (results, index, error) =>
    results.reduce((sum, result) => sum + error(result[index], truths[index]) ** 2, 0) / results.length
  const gains = finiteRanges.map((_, index) => {
    const ours = meanSquare(runs.ours, index, ({ il }, truth) => il.mean - truth.il)
    const plain = meanSquare(runs.plain, index, (il, truth) => il - truth.il)
    return (plain * cpuMs.plain) / (ours * cpuMs.ours)
  })
  report(`gain at equal time, range by range: ${gains.map((gain) => gain.toFixed(0)).join(', ')}`)
  return [
    figure({
      name: 'E[IL]: squared error of plain paths at equal time',
      value: Math.min(...gains),
      unit: 'x',
      reference: `${seeds} seeds, ${paths} paths, ${steps} steps; the range that gains least; ours takes ${(cpuMs.ours / cpuMs.plain).toFixed(2)} x the CPU`,
      bar: 300,
      atMost: false,
    }),
    ...closeness(truths),
  ]
}

function closeness(truths) {
  const results = Array.from({ length: moreSeeds }, (_, seed) =>
    simulate({ bounds: finiteRanges, paths, steps, seed: 1_000 + seed }),
  )
  const reference = `closed form, worst range of each of ${moreSeeds} seeds, ${paths} paths`
  const off = (name) => (result) =>
    Math.max(...truths.map((truth, index) => Math.abs(result[index][name].mean - truth[truthOf[name]])))
  const spread = (what, bar, of) => {
    const sorted = results.map(of).toSorted((a, b) => a - b)
    const reported = (which, value) =>
      figure({
        name: `${what} off, ${which} of the seeds`,
        value: 1e4 * value,
        unit: 'bp',
        reference,
        bar,
        exact: true,
      })
    return [reported('median', sorted[moreSeeds >> 1]), reported('worst', sorted.at(-1))]
  }
  const errors = results.flatMap((result) =>
    Object.keys(truthOf).flatMap((name) =>
      truths.map((truth, index) =>
        standardErrorsOff(result[index][name], truth[truthOf[name]], result[index].replicates),
      ),
    ),
  )
  return [
    ...spread('time in range (5 to 50 % either way, beside)', 20, off('timeInRange')),
    ...spread('E[IL]', 2, off('il')),
    figure({
      name: 'numbers within 4 of their own standard errors',
      value: (100 * errors.filter((error) => error <= 4).length) / errors.length,
      unit: '%',
      reference,
      bar: 99.9,
      atMost: false,
      exact: true,
    }),
  ]
}

const truthOf = { timeInRange: 'time', il: 'il' }

/** Independent paths, step by step; of the same ranges the share of time, and of each the mean loss, which alone is asked. */
function simulatePlainly(seed) {
  const random = createRandom(seed, 99)
  const edges = finiteRanges.map(({ lower, upper }) => [Math.log(lower / model.price), Math.log(upper / model.price)])
  const scatter = model.sigma * Math.sqrt(model.years / steps)
  const trend = ((model.drift - model.sigma ** 2 / 2) * model.years) / steps
  const normals = new Float64Array(steps)
  const inside = finiteRanges.map(() => 0)
  const losses = finiteRanges.map(() => 0)
  for (let path = 0; path < paths; path += 1) {
    random.fillNormals(normals, 0, steps)
    let log = 0
    for (const normal of normals) {
      log += trend + scatter * normal
      for (let index = 0; index < edges.length; index += 1) {
        const [low, high] = edges[index]
        if (log >= low && log < high) inside[index] += 1
      }
    }
    const price = model.price * Math.exp(log)
    for (let index = 0; index < finiteRanges.length; index += 1) {
      losses[index] += impermanentLoss(finiteRanges[index], model.price, price)
    }
  }
  return losses.map((loss) => loss / paths)
}
