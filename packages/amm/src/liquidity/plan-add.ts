import type { Liquidity } from '../ports.ts'
import type { PlanPorts } from './liquidity-ports.ts'
import { planAddV2 } from './v2/plan-add.ts'
import { planAddV3 } from './v3/plan-add.ts'
import { planAddV4 } from './v4/plan-add.ts'

/** The `planAdd` of the liquidity port over the given reads. */
export function planAdd(ports: PlanPorts): Liquidity['planAdd'] {
  return async (chain, request) => await planners[request.version](ports, chain, request)
}

const planners = { v2: planAddV2, v3: planAddV3, v4: planAddV4 } as const
