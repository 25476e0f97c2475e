import type { StopCause } from '@svc/tool-server/until-stopped'
import { runWord } from '../run-word.ts'

/**
 * `svc lp`: analytics of liquidity provision without an agent, on files, or on the pools of a chain as the tools tell of them.
 * Resolves to the exit code, 130 when it was stopped in the middle of a call.
 */
export async function lp(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const words = {
    backtest: async (rest: readonly string[]) => (await import('../lp/backtest.ts')).backtest(rest, stopped),
    optimize: async (rest: readonly string[]) => (await import('../lp/optimize.ts')).optimize(rest, stopped),
    'fee-tier': async (rest: readonly string[]) => (await import('../lp/fee-tier.ts')).feeTier(rest, stopped),
  }
  return runWord(argv, words, 'svc lp takes optimize, backtest or fee-tier, and a file of bars or a pool')
}
