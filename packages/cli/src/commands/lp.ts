import type { StopCause } from '@svc/tool-server/until-stopped'
import { UsageError } from '../usage-error.ts'

/**
 * `svc lp`: analytics of liquidity provision without an agent, on files, or on the pools of a chain as the tools tell of them.
 * Resolves to the exit code, 130 when it was stopped in the middle of a call.
 */
export async function lp(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'backtest') return (await import('../lp/backtest.ts')).backtest(rest, stopped)
  if (name === 'optimize') return (await import('../lp/optimize.ts')).optimize(rest, stopped)
  if (name === 'fee-tier') return (await import('../lp/fee-tier.ts')).feeTier(rest, stopped)
  throw new UsageError('svc lp takes optimize, backtest or fee-tier, and a file of bars or a pool', { seeHelp: true })
}
