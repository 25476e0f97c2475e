import { UsageError } from '../usage-error.ts'

/** `svc lp`: analytics of liquidity provision on files, without a chain or an agent. Resolves to the exit code. */
export async function lp(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'backtest') return (await import('../lp/backtest.ts')).backtest(rest)
  if (name === 'optimize') return (await import('../lp/optimize.ts')).optimize(rest)
  if (name === 'fee-tier') return (await import('../lp/fee-tier.ts')).feeTier(rest)
  throw new UsageError('svc lp takes optimize FILE, backtest FILE or fee-tier PIPS=FILE. See: svc help')
}
