import type { Liquidity } from '../ports.ts'
import type { PlanPorts } from './planning/plan-ports.ts'
import { planCollectV3 } from './v3/plan-collect.ts'
import { planCollectV4 } from './v4/plan-collect.ts'

/** The `planCollect` of the liquidity port. */
export function planCollect(ports: Pick<PlanPorts, 'rpc'>): Liquidity['planCollect'] {
  return async (chain, position, request) =>
    position.version === 'v3' ? planCollectV3(chain, position, request) : planCollectV4(ports, chain, position, request)
}
