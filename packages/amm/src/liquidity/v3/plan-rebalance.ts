import type { Chain } from '@svc/wallet/core'
import type { LiquidityPlan, RebalanceOutcome, RebalancePreview } from '../../ports.ts'
import { fitRemoval } from '../planning/fit-removal.ts'
import { planPayment, routineIntent } from '../planning/plan-payment.ts'
import type { OwnMove } from '../planning/deposit/fit-own.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { decodeMint, encodeMint, mintOf } from './plan-add.ts'
import { decodeRemoval, encodeCollect, encodeDecrease } from './plan-remove.ts'
import { positionManagerCall } from './merge-position-manager-calls.ts'

/**
 * Plans to close a v3 position and to open another in its pool in one `multicall`: what the first pays into the wallet the second
 * takes out of it, through exact allowances.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `VERSION_NOT_DEPLOYED`.
 */
export function planCloseAndOpenV3(
  chain: Chain,
  { position, deposit, inverted, request }: OwnMove,
): LiquidityPlan<RebalancePreview, RebalanceOutcome> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const { pool, positionId } = position
  const { recipient, slippageBps, deadline } = request
  const removal = fitRemoval(position, { ...request, percentage: 100, collectFees: true })
  const steps = [
    encodeDecrease(position, removal, request),
    encodeCollect(position, recipient),
    encodeMint(pool, deposit, request),
  ]
  return {
    intent: routineIntent(chain, {
      ...positionManagerCall(positionManager, steps, 0n, 'move position'),
      approvals: planPayment(deposit.sides, positionManager, 'erc20').approvals,
      slippageBps,
      deadline,
      recipients: [recipient],
      deposits: [mintOf({ pool, createsPool: false }, deposit, request, inverted)],
      why: `Move v3 position ${positionId} into another range of its pool.`,
    }),
    preview: {
      closed: {
        liquidityRemoved: removal.liquidity,
        ...removal.principal,
        fees0: position.fees0,
        fees1: position.fees1,
      },
      opened: deposit.preview,
      swap: null,
    },
    decode: async (settled) => {
      const { hash } = settled.main
      return {
        closed: { ...decodeRemoval(settled, position, positionManager), hash },
        opened: { ...decodeMint(settled, positionManager, inverted), hash },
        swapped: null,
      }
    },
  }
}
