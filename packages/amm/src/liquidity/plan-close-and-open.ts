import type { Chain } from '@svc/wallet/core'
import type { LiquidityPlan, RebalanceOutcome, RebalancePreview, PlanPorts } from '../ports.ts'
import { fitRemoval } from './planning/fit-removal.ts'
import { planPayment, routineIntent } from './planning/plan-payment.ts'
import type { OwnMove } from './planning/deposit/fit-own.ts'
import { requireDeployment } from './planning/refusals.ts'
import { decodeMint, encodeMint, mintOf } from './v3/plan-add.ts'
import { decodeRemoval, encodeCollect, encodeDecrease } from './v3/plan-remove.ts'
import { positionManagerCall } from './planning/merge-intents.ts'
import { depositOf } from './planning/deposit/fit-deposit.ts'
import { callerFields, flip } from './planning/deposit/opening-price.ts'
import { mostOfMint } from './planning/slippage-limits.ts'
import { mintedTokenId } from './v4/plan-add.ts'
import { poolKeyOf } from './v4/pool-key.ts'
import { readModification } from './v4/read-modification.ts'
import { encodeModifyLiquidities, requireUint128, v4Action } from './v4/v4-action.ts'

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

/**
 * Plans to close a v4 position and to open another in its pool within one unlock of the pool manager: what the first gives pays for the
 * second, the rest comes to the wallet, and no allowance is needed.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `VERSION_NOT_DEPLOYED`.
 */
export function planCloseAndOpenV4(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  { position, deposit, inverted, request }: OwnMove,
): LiquidityPlan<RebalancePreview, RebalanceOutcome> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const { pool, positionId, fees0, fees1 } = position
  const { recipient, slippageBps, deadline, kept } = request
  const { ticks, bounds, fitted } = deposit
  const { liquidity, amount0, amount1 } = fitted
  const removal = fitRemoval(position, { ...request, percentage: 100, collectFees: true })
  const most = requireUint128(mostOfMint({ bounds, liquidity, slippageBps, kept }), callerFields(inverted))
  const key = poolKeyOf(pool)
  const data = encodeModifyLiquidities(
    [
      v4Action.decrease(BigInt(positionId), removal.liquidity, removal.least),
      v4Action.mint({ key, ...ticks, liquidity, most, owner: recipient }),
      v4Action.close(key.currency0),
      v4Action.close(key.currency1),
    ],
    deadline,
  )
  const opened = { ...ticks, amount0, amount1, liquidity, minLiquidity: liquidity }
  return {
    intent: routineIntent(chain, {
      calls: [{ to: positionManager, data, valueWei: 0n, label: 'move position' }],
      atomicity: 'single',
      slippageBps,
      deadline,
      recipients: [recipient],
      deposits: [depositOf(pool, { ...opened, recipient, createsPool: false, isInverted: inverted })],
      why: `Move v4 position ${positionId} into another range of its pool.`,
    }),
    preview: {
      closed: { liquidityRemoved: removal.liquidity, ...removal.principal, fees0, fees1 },
      opened: deposit.preview,
      swap: null,
    },
    decode: async (settled) => {
      const { hash } = settled.main
      const tokenId = mintedTokenId(settled, chain, { pool, ...ticks, liquidity, owner: recipient })
      const [closing, opening] = await Promise.all(
        [BigInt(positionId), tokenId].map((id) =>
          readModification(ports, chain, pool, id, settled, { isAlone: false, isNew: id === tokenId }),
        ),
      )
      if (closing === undefined || opening === undefined) throw new TypeError('two changes are read')
      const { fees, principal } = closing
      const closed = {
        liquidityRemoved: -closing.liquidityDelta,
        ...principal,
        fees0: fees.amount0,
        fees1: fees.amount1,
      }
      const amounts = flip(inverted, opening.principal)
      return {
        closed: { ...closed, hash },
        opened: { positionId: `${tokenId}`, liquidity: opening.liquidityDelta, ...amounts, hash },
        swapped: null,
      }
    },
  }
}
