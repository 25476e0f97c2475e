import type { Chain } from '@svc/wallet/core'
import type { LiquidityPlan, Position, RemoveOutcome, RemoveRequest, PlanPorts } from '../../ports.ts'
import { fitRemoval } from '../planning/fit-removal.ts'
import { leastReceipts, routineIntent } from '../planning/plan-payment.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { encodeModifyLiquidities, requireUint128, v4Action } from './v4-action.ts'
import { poolKeyOf, refuseDeltaHooks } from './pool-key.ts'
import { readModification } from './read-modification.ts'

/**
 * Plans to take liquidity out of a v4 position. v4 pays out all fees of the position with any change, so `collectFees:
 * false` cannot hold them back: they come along and the outcome shows them. An emptied position keeps its NFT, so that its
 * id stays known.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `HOOK_NOT_SUPPORTED`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planRemoveV4(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  position: Position,
  request: RemoveRequest,
): LiquidityPlan<RemoveOutcome, RemoveOutcome> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const { pool, fees0, fees1 } = position
  refuseDeltaHooks(pool.hooks, 'positionId')
  const {
    liquidity,
    principal,
    least: leastPrincipal,
  } = fitRemoval(position, request, {
    amount0: fees0,
    amount1: fees1,
  })
  const least = requireUint128(leastPrincipal, { amount0: 'percentage', amount1: 'percentage' })
  const steps = [
    v4Action.decrease(BigInt(position.positionId), liquidity, least),
    v4Action.takePair(poolKeyOf(pool), request.recipient),
  ]
  const data = encodeModifyLiquidities(steps, request.deadline)
  return {
    intent: routineIntent(chain, {
      calls: [{ to: positionManager, data, valueWei: 0n, label: 'remove liquidity' }],
      atomicity: 'single',
      receives: leastReceipts([
        { token: pool.token0, amount: least.amount0 + fees0 },
        { token: pool.token1, amount: least.amount1 + fees1 },
      ]),
      slippageBps: request.slippageBps,
      deadline: request.deadline,
      recipients: [request.recipient],
      why: `Remove ${request.percentage} % of v4 position ${position.positionId} with all its fees.`,
    }),
    preview: { liquidityRemoved: liquidity, ...principal, fees0, fees1 },
    decode: async (settled) => {
      const { liquidityDelta, principal, fees } = await readModification(
        ports,
        chain,
        pool,
        BigInt(position.positionId),
        settled,
      )
      return { liquidityRemoved: -liquidityDelta, ...principal, fees0: fees.amount0, fees1: fees.amount1 }
    },
  }
}
