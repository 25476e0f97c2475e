import { simulationDrift } from './simulation-drift.ts'

/**
 * The changes the ledger counts: the real ones, but where receipts show much less leaving than the simulation did, the
 * simulated one. An endpoint that keeps logs back must not win the wallet room under its limits.
 */
export function countedDeltas(
  real: ReadonlyMap<string, bigint>,
  simulated: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  const doubted = simulationDrift(simulated, real).filter((row) => row.simulated < 0n && row.real > row.simulated)
  return new Map([...real, ...doubted.map((row) => [row.token.toLowerCase(), row.simulated] as const)])
}
