import { UsageError } from '../usage-error.ts'

/** `svc lp`: analytics of liquidity provision on files, without a chain or an agent. Resolves to the exit code. */
export async function lp(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'backtest') return (await import('../lp/backtest.ts')).backtest(rest)
  throw new UsageError('svc lp takes backtest FILE. See: svc help')
}
