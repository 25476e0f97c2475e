import type {
  BacktestOptions,
  BacktestResult,
  BacktestStrategy,
  Bars,
  RangeEstimates,
  SimulationOptions,
} from '@svc/lp-math'
import type { RangeChoice, RangeWanted } from '../analysis/range/pick-range.ts'
import type { FeeTier, TierMarket, TierScore } from '../analysis/fees/score-fee-tier.ts'
import type { ChartRequest } from '../charts/chart-spec.ts'

/** Threads for work that takes long, so that no other call of the server waits for it. */
export type Workers = {
  /**
   * Throws `SIMULATION_TIMEOUT` when the time limit passes, waiting included; `SERVER_BUSY` when too much waits already, most of it
   * for the same principal, or the server closes; `CANCELLED` when the caller leaves; `LpMathError` as the work itself does.
   */
  run<Kind extends WorkKind>(kind: Kind, input: Work[Kind]['input'], caller: WorkCaller): Promise<Work[Kind]['output']>
}

/** What the threads can be asked for: plain data in, plain data out. */
export type Work = {
  /** How many paths were simulated, and the estimates of each range, in the order of the bounds. */
  readonly simulate: { readonly input: SimulationOptions; readonly output: SimulationRun }
  readonly chooseRange: { readonly input: RangeWanted; readonly output: RangeChoice }
  readonly replay: { readonly input: Replay; readonly output: Replayed }
  readonly scoreFeeTier: { readonly input: TierScoring; readonly output: TierScore }
  /** An SVG as text, or the bytes of a PNG. */
  readonly draw: { readonly input: ChartRequest; readonly output: string | Uint8Array }
}

export type WorkKind = keyof Work

export type WorkCaller = {
  /** Absent where the work goes on whoever leaves. */
  readonly signal?: AbortSignal | undefined
  /** For whom the work is: those who wait take turns, and who has most waiting is refused first. */
  readonly principalId?: string | undefined
  /** How much of how much is done (paths, strategies); heard now and then, and never after the end. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

export type SimulationRun = { readonly paths: number; readonly estimates: readonly RangeEstimates[] }

/** At least one strategy. */
export type Replay = {
  readonly bars: Bars
  readonly strategies: readonly BacktestStrategy[]
  readonly options: BacktestOptions
}

/** With the strategies that lead when all are entered some days later. */
export type Replayed = BacktestResult & { readonly laterWinners: readonly string[] }

export type TierScoring = { readonly tier: FeeTier; readonly market: TierMarket }
