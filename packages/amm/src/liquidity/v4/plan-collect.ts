import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { CollectOutcome, LiquidityPlan, Position } from '../../ports.ts'
import { leastReceipts } from '../planning/least-receipts.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { requireFees } from '../planning/require-fees.ts'
import { routineIntent } from '../planning/routine-intent.ts'
import { encodeModifyLiquidities } from './encode-modify-liquidities.ts'
import { poolKeyOf } from './pool-key.ts'
import { readModification } from './read-modification.ts'
import { refuseDeltaHooks } from './refuse-delta-hooks.ts'
import { v4Action } from './v4-action.ts'

/**
 * Plans to collect the fees of a v4 position: a removal of no liquidity pays them out. Fees only grow, so what is owed now
 * is the least that must arrive.
 *
 * @throws ToolError `NOTHING_TO_COLLECT`, `HOOK_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`.
 */
export function planCollectV4(
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
