// How far the simulation lies from the closed forms: against plain Monte Carlo of the same CPU time, and at the default of 5,000 paths.
import { createRandom, expectedIl, impermanentLoss, timeInRange } from '@svc/lp-math'
import { figure } from './figure.mjs'
import { cpuMsOf, finiteRanges, model, simulate } from './lp-world.mjs'

const paths = 5_000
const steps = 30
const seeds = 40

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
    ...closeness(runs.ours, truths),
  ]
}

function closeness(results, truths) {
  const reference = `closed form, ${results.length} seeds, ${paths} paths`
  const off = (name, index, result) => Math.abs(result[index][name].mean - truths[index][truthOf[name]])
  const worst = (name, indices) =>
    Math.max(...results.flatMap((result) => indices.map((index) => off(name, index, result))))
  const within = results.flatMap((result) =>
    Object.keys(truthOf).flatMap((name) =>
      truths.map((_, index) => Number(off(name, index, result) <= 4 * result[index][name].standardError)),
    ),
  )
  const share = (100 * within.reduce((sum, one) => sum + one, 0)) / within.length
  return [
    figure({
      name: 'time in range, furthest off, 5 to 50 % either way',
      value: 1e4 * worst('timeInRange', [0, 1, 2, 3]),
      unit: 'bp',
      reference,
      bar: 20,
    }),
    figure({ name: 'E[IL], furthest off', value: 1e4 * worst('il', [0, 1, 2, 3, 4]), unit: 'bp', reference, bar: 2 }),
    figure({
      name: 'numbers within 4 of their own standard errors',
      value: share,
      unit: '%',
      reference,
      bar: 99,
      atMost: false,
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
