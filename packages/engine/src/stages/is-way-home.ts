import type { Simulation } from '../simulation/simulation.ts'
import type { CallValue } from './weigh-value.ts'

/**
 * Whether a call that spends nothing also does something for its owner: something arrives, or an allowance that stands is
 * revoked. Its gas is then held to the budget that is kept for leaving. Calls that do nothing have no part in that, so
 * that nobody uses it up with them.
 */
export function isWayHome(
  { isExit }: Pick<CallValue, 'isExit'>,
  { deltas }: Pick<Simulation, 'deltas'>,
  standing: readonly bigint[],
): boolean {
  return isExit && ([...deltas.values()].some((delta) => delta > 0n) || standing.some((amount) => amount > 0n))
}
