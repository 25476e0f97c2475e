import { logReturn } from '../closed-form/log-return.ts'
import type { PriceModel } from '../closed-form/price-model.ts'
import { createBrownianBridge } from '../random/create-brownian-bridge.ts'
import { createNormalTable } from '../random/create-normal-table.ts'
import { createRandom } from '../random/create-random.ts'
import { createSobol } from '../random/create-sobol.ts'

/**
 * Paths of the logarithm of the price over the price now, exact at every step. Each replicate has an independent scramble of the
 * same Sobol sequence: it decides the first 64 points of the bridge, pseudo-random numbers the rest.
 *
 * @throws LpMathError `COUNT_OUT_OF_RANGE`, `SEED_OUT_OF_RANGE`
 */
export function createPathSource({ model, steps, seed }: PathSourceOptions): PathSource {
  const { mean, deviation } = logReturn(model)
  const bridge = createBrownianBridge({ steps, deviation, drift: mean })
  const table = createNormalTable()
  const dimensions = bridge.knots.length - 1
  const normals = new Float64Array(steps)
  const path = new Float64Array(steps + 1)
  const startReplicate = (replicate: number) => {
    const sobol = createSobol({ dimensions, seed, stream: replicate })
    const random = createRandom(seed, replicate + 0x80000000)
    return () => {
      table.fill(sobol.next(), normals)
      if (steps > dimensions) random.fillNormals(normals, dimensions, steps)
      bridge.build(normals, path)
    }
  }
  return { path, startReplicate }
}

export type PathSourceOptions = { readonly model: PriceModel; readonly steps: number; readonly seed: number }

export type PathSource = {
  /** Where each path is written: its logarithms at 0, 1, … `steps`. */
  readonly path: Float64Array
  /** The function that writes the next path of a replicate. */
  startReplicate(replicate: number): () => void
}
