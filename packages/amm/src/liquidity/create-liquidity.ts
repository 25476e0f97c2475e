import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { CollectOutcome, Liquidity, LiquidityPlan, Position, PlanPorts, ReadPorts } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { leastReceipts, routineIntent } from './planning/plan-payment.ts'
import { nothingToCollect, requireDeployment } from './planning/refusals.ts'
import { encodeModifyLiquidities, v4Action } from './v4/v4-action.ts'
import { poolKeyOf, refuseDeltaHooks } from './v4/pool-key.ts'
import { readModification } from './v4/read-modification.ts'
import { planSplit } from './plan-split.ts'
import { planSwapV2 } from './v2/plan-swap.ts'
import { planSwapV3 } from './v3/plan-swap.ts'
import { planSwapV4 } from './v4/plan-swap.ts'
import { planRemoveV2 } from './v2/plan-remove.ts'
import { collectedFromPool, encodeCollect, planRemoveV3 } from './v3/plan-remove.ts'
import { planRemoveV4, planIncreaseV4 } from './v4/plan-modify.ts'
import { planIncreaseV3, planAddV3 } from './v3/plan-add.ts'
import { planAddV4 } from './v4/plan-add.ts'
import { planCollectAll } from './plan-collect-all.ts'
import { createLiquidityReads } from './create-liquidity-reads.ts'
import { planCompound } from './plan-compound.ts'
import { planRebalance } from './plan-rebalance.ts'
import { planAddV2 } from './v2/plan-add.ts'
import { unknownVersion } from '../ports/pools.ts'

export type { ReadPorts } from '../ports.ts'
export { liquidityForAmounts, type RangeBounds } from './planning/deposit/fit-amounts.ts'
export {
  callerPriceOf,
  type PairDecimals,
  priceDrift,
  leastOfMint,
  leastOfPair,
  lessSlippage,
  type LimitedDeposit,
  mostOfMint,
  withSlippage,
} from './planning/slippage-limits.ts'
export { mergeIntents, type MergedIntent } from './planning/merge-intents.ts'
export { nothingToCollect, refuseClosed } from './planning/refusals.ts'
export { isUnsigned, positionPermitAbi, unsigned, withSignature } from './plan-migrate.ts'
export { activeLiquidity, type PoolAmounts, readPoolAmounts, findHolder } from './pools/read-pool-amounts.ts'
export { lpFeeShare } from './pools/pool-state.ts'
export { mostTicks } from './ticks/read-ticks.ts'
export { v2PairAddress, v3PoolAddress } from './pools/pool-address.ts'
export { supplyWithFee } from './v2/read-pair-shares.ts'
export { dynamicFeeFlag, poolIdOf, type PoolKey, poolKeyOf } from './v4/pool-key.ts'

/** Reads and plans over the AMM contracts of a chain, straight over RPC. Nothing here signs. */
export function createLiquidity(ports: ReadPorts): Liquidity {
  const reads = createLiquidityReads(ports)
  const planning = { ...ports, liquidity: reads }
  return {
    ...reads,
    planAdd: planAdd(planning),
    planCompound: planCompound({
      ...planning,
      plans: { planCollect: planCollect(planning), planSwap: planSwap(planning) },
    }),
    planIncrease: planIncrease(planning),
    planRemove: planRemove(planning),
    planCollect: planCollect(planning),
    planCollectAll: async (chain, positions, request) => planCollectAll(chain, positions, request),
    planSwap: planSwap(planning),
    planMigrate: async () => {
      throw new ToolError(
        'API_KEY_NOT_CONFIGURED',
        'Positions are migrated by the trading API, for which there is no key.',
      )
    },
    planRebalance: planRebalance({
      ...planning,
      plans: { planRemove: planRemove(planning), planSwap: planSwap(planning) },
    }),
  }
}

/** The `planCollect` of the liquidity port. */
function planCollect(ports: Pick<PlanPorts, 'rpc'>): Liquidity['planCollect'] {
  return async (chain, position, request) => {
    const plan = {
      v3: () => planCollectV3(chain, position, request),
      v4: () => planCollectV4(ports, chain, position, request),
    }
    return plan[position.version]()
  }
}

/** The `planIncrease` of the liquidity port. */
function planIncrease(ports: Pick<PlanPorts, 'rpc' | 'tokens'>): Liquidity['planIncrease'] {
  return async (chain, position, request) => increasePlanners[position.version](ports, chain, position, request)
}

const increasePlanners = { v3: planIncreaseV3, v4: planIncreaseV4 } as const

/** The `planRemove` of the liquidity port. */
function planRemove(ports: Pick<PlanPorts, 'rpc'>): Liquidity['planRemove'] {
  return async (chain, position, request) => {
    if (position.version === 'v2') return planRemoveV2(chain, position, request)
    if (position.version === 'v3') return planRemoveV3(chain, position, request)
    if (position.version === 'v4') return planRemoveV4(ports, chain, position, request)
    throw unknownVersion(position.version)
  }
}

/** The `planSwap` of the liquidity port. */
function planSwap(ports: Pick<PlanPorts, 'tokens'>): Liquidity['planSwap'] {
  return async (chain, quote, request) => {
    if (quote.version === 'mixed' || quote.parts !== undefined)
      return planSplit(chain, { ...quote, parts: quote.parts ?? [quote] }, request)
    if (quote.version === 'v2') return planSwapV2(ports, chain, quote, request)
    if (quote.version === 'v3') return planSwapV3(ports, chain, quote, request)
    if (quote.version === 'v4') return planSwapV4(chain, quote, request)
    throw unknownVersion(quote.version)
  }
}

/**
 * Plans to collect the fees of a v4 position: a removal of no liquidity pays them out. Fees only grow, so what is owed now
 * is the least that must arrive.
 *
 * @throws ToolError `NOTHING_TO_COLLECT`, `HOOK_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`.
 */
function planCollectV4(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  position: Position,
  request: { readonly deadline: number; readonly recipient: Address },
): LiquidityPlan<CollectOutcome, CollectOutcome> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const { pool } = position
  refuseDeltaHooks(pool.hooks, 'positionId')
  const fees = requireFees(position)
  const steps = [
    v4Action.decrease(BigInt(position.positionId), 0n, { amount0: 0n, amount1: 0n }),
    v4Action.takePair(poolKeyOf(pool), request.recipient),
  ]
  const data = encodeModifyLiquidities(steps, request.deadline)
  return {
    intent: routineIntent(chain, {
      calls: [{ to: positionManager, data, valueWei: 0n, label: 'collect fees' }],
      atomicity: 'single',
      receives: leastReceipts([
        { token: pool.token0, amount: fees.fees0 },
        { token: pool.token1, amount: fees.fees1 },
      ]),
      slippageBps: null,
      deadline: request.deadline,
      recipients: [request.recipient],
      why: `Collect the fees of v4 position ${position.positionId}.`,
    }),
    preview: fees,
    decode: async (settled) => {
      const { fees } = await readModification(ports, chain, pool, BigInt(position.positionId), settled)
      return { fees0: fees.amount0, fees1: fees.amount1 }
    },
  }
}

/**
 * Plans to collect all that a v3 position is owed. Fees only grow, so what is owed now is the least that must arrive.
 *
 * @throws ToolError `NOTHING_TO_COLLECT`, `VERSION_NOT_DEPLOYED`.
 */
function planCollectV3(
  chain: Chain,
  position: Position,
  request: { readonly recipient: Address },
): LiquidityPlan<CollectOutcome, CollectOutcome> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const { token0, token1 } = position.pool
  const fees = requireFees(position)
  const data = encodeCollect(position, request.recipient)
  return {
    intent: routineIntent(chain, {
      calls: [{ to: positionManager, data, valueWei: 0n, label: 'collect fees' }],
      atomicity: 'single',
      receives: leastReceipts([
        { token: token0, amount: fees.fees0 },
        { token: token1, amount: fees.fees1 },
      ]),
      slippageBps: null,
      deadline: null,
      recipients: [request.recipient],
      why: `Collect the fees of v3 position ${position.positionId}.`,
    }),
    preview: fees,
    decode: async (settled) => {
      const { amount0, amount1 } = collectedFromPool(settled, position, positionManager)
      return { fees0: amount0, fees1: amount1 }
    },
  }
}

/** The fees a position is owed. Throws `NOTHING_TO_COLLECT` when there are none, and says so where there will be none. */
function requireFees(position: Position): CollectOutcome {
  const { fees0, fees1 } = position
  if (fees0 > 0n || fees1 > 0n) return { fees0, fees1 }
  throw nothingToCollect(position)
}

/** The `planAdd` of the liquidity port over the given reads. */
function planAdd(ports: PlanPorts): Liquidity['planAdd'] {
  return async (chain, request) => await addPlanners[request.version](ports, chain, request)
}

const addPlanners = { v2: planAddV2, v3: planAddV3, v4: planAddV4 } as const
