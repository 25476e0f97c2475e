import type { Liquidity } from '../ports.ts'
import type { PlanPorts } from './planning/plan-ports.ts'
import { planSwapV2 } from './v2/plan-swap.ts'
import { planSwapV3 } from './v3/plan-swap.ts'
import { planSwapV4 } from './v4/plan-swap.ts'
import { planRemoveV2 } from './v2/plan-remove.ts'
import { planRemoveV3 } from './v3/plan-remove.ts'
import { planRemoveV4 } from './v4/plan-remove.ts'
import { planIncreaseV3 } from './v3/plan-increase.ts'
import { planIncreaseV4 } from './v4/plan-increase.ts'
import { planCollectV3 } from './v3/plan-collect.ts'
import { planCollectV4 } from './v4/plan-collect.ts'
import { createLiquidityReads } from './create-liquidity-reads.ts'
import { planAdd } from './plan-add.ts'
import type { ReadPorts } from './read-ports.ts'

/** Reads and plans over the AMM contracts of a chain, straight over RPC. Nothing here signs. */
export function createLiquidity(ports: ReadPorts): Liquidity {
  const reads = createLiquidityReads(ports)
  const planning = { ...ports, liquidity: reads }
  return {
    ...reads,
    planAdd: planAdd(planning),
    planIncrease: planIncrease(planning),
    planRemove: planRemove(planning),
    planCollect: planCollect(planning),
    planSwap: planSwap(planning),
  }
}

/** The `planCollect` of the liquidity port. */
function planCollect(ports: Pick<PlanPorts, 'rpc'>): Liquidity['planCollect'] {
  return async (chain, position, request) =>
    position.version === 'v3' ? planCollectV3(chain, position, request) : planCollectV4(ports, chain, position, request)
}

/** The `planIncrease` of the liquidity port. */
function planIncrease(ports: Pick<PlanPorts, 'rpc' | 'tokens'>): Liquidity['planIncrease'] {
  return async (chain, position, request) => planners[position.version](ports, chain, position, request)
}

const planners = { v3: planIncreaseV3, v4: planIncreaseV4 } as const

/** The `planRemove` of the liquidity port. */
function planRemove(ports: Pick<PlanPorts, 'rpc'>): Liquidity['planRemove'] {
  return async (chain, position, request) => {
    if (position.version === 'v2') return planRemoveV2(chain, position, request)
    if (position.version === 'v3') return planRemoveV3(chain, position, request)
    return planRemoveV4(ports, chain, position, request)
  }
}

/** The `planSwap` of the liquidity port. */
function planSwap(ports: Pick<PlanPorts, 'tokens'>): Liquidity['planSwap'] {
  return async (chain, quote, request) => {
    if (quote.version === 'v2') return planSwapV2(ports, chain, quote, request)
    if (quote.version === 'v3') return planSwapV3(ports, chain, quote, request)
    return planSwapV4(chain, quote, request)
  }
}
