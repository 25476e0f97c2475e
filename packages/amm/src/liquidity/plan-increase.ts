import type { Liquidity } from '../ports.ts'
import type { PlanPorts } from './planning/plan-ports.ts'
import { planIncreaseV3 } from './v3/plan-increase.ts'
import { planIncreaseV4 } from './v4/plan-increase.ts'

/** The `planIncrease` of the liquidity port. */
export function planIncrease(ports: Pick<PlanPorts, 'rpc' | 'tokens'>): Liquidity['planIncrease'] {
  return async (chain, position, request) => planners[position.version](ports, chain, position, request)
}

const planners = { v3: planIncreaseV3, v4: planIncreaseV4 } as const
