import type { ExecutionContext, InspectionContext } from '../context/engine.ts'
import { type CallValue, valueOfCall } from '../value/call-value.ts'
import type { Simulated } from './prepare.ts'
import { checkBalance } from '../spending/gas.ts'
import { isWayHome } from '../value/way-home.ts'

/**
 * The stage that keeps a call from giving the owner's money away: it compares what comes back with what leaves, at prices of
 * named sources. Both are taken from the simulation and the calldata. A call that only brings funds home needs no price.
 */
export function weighValue<Own extends InspectionContext>(simulated: Simulated<Own>): ValueWeighed<Own> {
  const { simulation, priced, snapshotTaken } = simulated
  const value = valueOfCall(simulated, simulation, priced)
  const short = checkBalance(simulated, isWayHome(value, simulation, snapshotTaken.standing))
  return { ...simulated, value, refusals: [...short, ...value.refusals] }
}

export type ValueWeighed<Own extends InspectionContext = ExecutionContext> = Simulated<Own> & {
  readonly value: CallValue
}
