// 50,000 paths in 6 ranges: the whole simulation of the product against the plain one of numpy and of C, in turns, by CPU time.
import { figure, notMeasured } from './figure.mjs'
import { startCReference, startNumpyReference } from './lp-references.mjs'
import { cpuMsOf, finiteRanges, fullRange, simulate } from './lp-world.mjs'
import { sized } from './size.mjs'

const paths = 50_000
const bounds = [...finiteRanges, fullRange]

export async function measureSimulationSpeed(report) {
  const [numpy, c] = [startNumpyReference(), startCReference()]
  try {
    const figures = []
    for (const { steps, bar, rounds } of [
      { steps: 30, bar: 1.3, rounds: sized(21, 2) },
      { steps: 720, bar: 0.6, rounds: sized(7, 2) },
    ]) {
      const run = { bounds, paths, steps }
      const seen = { ours: [], numpy: [], vectorised: [], libm: [] }
      for (let round = 0; round < rounds; round += 1) {
        seen.ours.push(cpuMsOf(() => simulate({ ...run, seed: round })))
        if (numpy.ask) seen.numpy.push((await numpy.ask({ ...run, seed: round })).cpuMs)
        if (c.ask) seen.vectorised.push((await c.ask({ ...run, mode: 'vectorised' })).cpuMs)
        if (c.ask) seen.libm.push((await c.ask({ ...run, mode: 'libm' })).cpuMs)
      }
      // The first round warms the compiler of each side up.
      const least = (values) => Math.min(...values.slice(1))
      const ours = least(seen.ours)
      report(`${steps} steps: ours ${ours.toFixed(1)} ms of CPU`)
      const against = (label, values, why, limit) => {
        const name = `simulation, ${steps} steps, against ${label}`
        if (values.length === 0) return notMeasured({ name, unit: 'x', why, bar: limit })
        const reference = `${least(values).toFixed(1)} ms of CPU, least of ${rounds - 1}`
        return figure({ name, value: ours / least(values), unit: 'x', reference, bar: limit })
      }
      figures.push(against('numpy', seen.numpy, numpy.why, bar))
      figures.push(against('C in lanes', seen.vectorised, c.why, null))
      figures.push(against('C with libm', seen.libm, c.why, null))
    }
    return figures
  } finally {
    numpy.stop()
    c.stop()
  }
}
