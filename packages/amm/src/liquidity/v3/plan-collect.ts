import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, maxUint128 } from 'viem'
import type { CollectOutcome, LiquidityPlan, Position } from '../../ports.ts'
import { v3PositionManagerAbi } from '../../abis/v3-position-manager.ts'
import { leastReceipts } from '../planning/least-receipts.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { requireFees } from '../planning/require-fees.ts'
import { routineIntent } from '../planning/routine-intent.ts'
import { collectedFromPool } from './collected-from-pool.ts'

/**
 * Plans to collect all that a v3 position is owed. Fees only grow, so what is owed now is the least that must arrive.
 *
 * @throws ToolError `NOTHING_TO_COLLECT`, `VERSION_NOT_DEPLOYED`.
 */
export function planCollectV3(
  chain: Chain,
  position: Position,
  request: { readonly recipient: Address },
): LiquidityPlan<CollectOutcome, CollectOutcome> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const { token0, token1 } = position.pool
  const fees = requireFees(position)
  const data = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'collect',
    args: [
      {
        tokenId: BigInt(position.positionId),
        recipient: request.recipient,
        amount0Max: maxUint128,
        amount1Max: maxUint128,
      },
    ],
  })
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
