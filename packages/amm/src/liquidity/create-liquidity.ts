import type { Liquidity } from '../ports.ts'
import { createLiquidityReads } from './create-liquidity-reads.ts'
import { planAdd } from './plan-add.ts'
import { planCollect } from './plan-collect.ts'
import { planIncrease } from './plan-increase.ts'
import { planRemove } from './plan-remove.ts'
import { planSwap } from './plan-swap.ts'
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
