import type { RangeEstimates, SimulationOptions } from '@svc/lp-math'

/** Runs simulations beside the calls of the server, so that none of these waits for one of those. */
export type Simulations = {
  /**
   * How many paths were simulated, and the estimates of each range, in the order of the bounds. Throws `SIMULATION_TIMEOUT` when the time limit passes, waiting
   * included; `SERVER_BUSY` when too many wait already or the server closes; `CANCELLED` when the caller leaves.
   */
  run(options: SimulationOptions, caller: SimulationCaller): Promise<SimulationRun>
}

export type SimulationCaller = {
  readonly signal: AbortSignal
  /** How many paths of how many are done; heard now and then, and never after the end. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

export type SimulationRun = { readonly paths: number; readonly estimates: readonly RangeEstimates[] }
