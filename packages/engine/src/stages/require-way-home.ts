import { isWayHome } from './is-way-home.ts'
import { mayBringHome } from './may-bring-home.ts'
import type { Weighed } from '../context/refusal.ts'
import { requireRunning } from './require-running.ts'
import type { ValueWeighed } from './weigh-value.ts'

/** Where the breaker lets ways home pass, only now that a call is simulated and weighed is it known whether it is one. */
export function requireWayHome(weighed: ValueWeighed): Promise<Weighed> {
  const { engine, value, simulation, surveyed } = weighed
  return requireRunning(engine, isWayHome(value, simulation, surveyed.standing) && mayBringHome(weighed))
}
