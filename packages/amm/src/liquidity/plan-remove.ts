import type { Liquidity } from '../ports.ts'
import type { PlanPorts } from './planning/plan-ports.ts'
import { planRemoveV2 } from './v2/plan-remove.ts'
import { planRemoveV3 } from './v3/plan-remove.ts'
import { planRemoveV4 } from './v4/plan-remove.ts'

/** The `planRemove` of the liquidity port. */
export function planRemove(ports: Pick<PlanPorts, 'rpc'>): Liquidity['planRemove'] {
  return async (chain, position, request) => {
    if (position.version === 'v2') return planRemoveV2(chain, position, request)
    if (position.version === 'v3') return planRemoveV3(chain, position, request)
    return planRemoveV4(ports, chain, position, request)
  }
}
