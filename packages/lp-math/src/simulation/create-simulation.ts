import { type PriceBounds, type PriceModel, requirePriceBounds, requirePriceModel } from '../closed-form/price-model.ts'
import { LpMathError, requireCount } from '../lp-math-error.ts'
import { createKnotSource } from './create-knot-source.ts'
import { createTally } from './create-tally.ts'
import { division } from './estimate.ts'
import { type RangeEstimates, rangeEstimates, type ReplicateRow } from './range-estimates.ts'

/**
 * Simulates positions in many ranges on the same paths of a price, in portions, so that a caller can report progress or give up
 * between them. The paths are divided into replicates with randomness of their own; every estimate is the mean over the replicates
 * and its standard error their scatter. A replicate has a power of two of paths, with which Sobol points are evenest, so that up to
 * an eighth more paths are simulated than asked for. Some points of a path are drawn, and the steps between them are integrated. The
 * same options give the same result, however the portions are cut.
 *
 * @throws LpMathError on bounds and models that mean nothing; `COUNT_OUT_OF_RANGE` for paths beyond 10,000,000 or fewer than the
 * replicates, steps beyond 1,000,000, no range; `SEED_OUT_OF_RANGE`
 */
export function createSimulation(options: SimulationOptions): Simulation {
  requireOptions(options)
  const { model, bounds, steps, seed } = options
  const { size, replicates } = division(options)
  const paths = size * replicates
  const source = createKnotSource({ model, steps, seed })
  const tally = createTally({ model, bounds, steps, size, source })
  const rows: ReplicateRow[][] = []
  let done = 0
  let draw = source.startReplicate(0)

  const advance = (more: number) => {
    requireCount(more, 'paths', 1, Number.MAX_SAFE_INTEGER)
    const target = Math.min(done + more, paths)
    while (done < target) {
      const end = (rows.length + 1) * size
      const count = Math.min(Math.min(target, end) - done, source.mostPaths)
      draw(count)
      tally.add(count)
      done += count
      if (done < end) continue
      rows.push(tally.take())
      if (done < paths) draw = source.startReplicate(rows.length)
    }
    return done
  }

  const result = () => {
    if (done < paths) throw new LpMathError('SIMULATION_UNFINISHED', `${done} of ${paths} paths are simulated`)
    return bounds.map((range, index) =>
      rangeEstimates(range, { model, steps, paths, rows: rows.flatMap((row) => row[index] ?? []) }),
    )
  }
  return { paths, advance, result }
}

/** The model, the number of paths and steps, and the seed of a simulation. */
export type SimulationOptions = {
  readonly model: PriceModel
  readonly bounds: readonly PriceBounds[]
  /** At least so many, up to 10,000,000. */
  readonly paths: number
  /** Of equal length, to the horizon; 30 to 60 are enough. */
  readonly steps: number
  readonly seed: number
  /** Into how many independent parts the paths are divided at least, from 2 to 1,024; 8 when left out. */
  readonly replicates?: number | undefined
}

/** Simulated paths of one market, asked about any number of ranges: see {@link createSimulation}. */
export type Simulation = {
  /** How many paths there are in all. */
  readonly paths: number
  /** Simulates so many paths more, or what is left of them; returns how many are done. */
  advance(paths: number): number
  /**
   * The estimates of each range, in the order of the bounds.
   * @throws LpMathError `SIMULATION_UNFINISHED` before all paths are done
   */
  result(): RangeEstimates[]
}

function requireOptions({ model, bounds, paths, steps, replicates = 8 }: SimulationOptions): void {
  requirePriceModel(model)
  requireCount(bounds.length, 'bounds.length', 1, 10_000)
  bounds.forEach(requirePriceBounds)
  requireCount(replicates, 'replicates', 2, 1_024)
  requireCount(paths, 'paths', replicates, 10_000_000)
  requireCount(steps, 'steps', 1, 1_000_000)
}
