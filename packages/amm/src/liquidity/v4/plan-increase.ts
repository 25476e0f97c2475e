import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress, type Hex } from 'viem'
import type { IncreaseOutcome, LiquidityPlan, Position } from '../../ports.ts'
import { callerFields } from '../planning/order-pair.ts'
import { increaseOf } from '../planning/deposit/deposit-of.ts'
import { callerSides, describeAmounts } from '../planning/describe-amounts.ts'
import { fitIncrease, type IncreaseRequest } from '../planning/deposit/fit-increase.ts'
import { leastReceipts, planPayment, routineIntent, sidesOf } from '../planning/plan-payment.ts'
import type { PlanPorts } from '../liquidity-ports.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { mostOfMint } from '../planning/slippage-limits.ts'
import { encodeModifyLiquidities, requireUint128, v4Action } from './v4-action.ts'
import { poolKeyOf, refuseDeltaHooks } from './pool-key.ts'
import { readModification } from './read-modification.ts'

/**
 * Plans to add liquidity to a v4 position. v4 pays out the position's fees with any change, so they pay part of the
 * deposit: less leaves the wallet than the position gains, and of a token that has earned more than the deposit takes the
 * surplus comes to the wallet. The outcome says what the position gained.
 *
 * @throws ToolError `VALIDATION_FAILED`, `AMOUNT_TOO_SMALL`, `HOOK_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`.
 */
export function planIncreaseV4(
  ports: Pick<PlanPorts, 'rpc' | 'tokens'>,
  chain: Chain,
  position: Position,
  request: IncreaseRequest,
): LiquidityPlan<IncreaseOutcome, IncreaseOutcome> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const { pool } = position
  refuseDeltaHooks(pool.hooks, 'positionId')
  const { bounds, fitted, sides } = fitIncrease(ports, chain, position, request)
  const { amount0, amount1, liquidity } = fitted
  const { slippageBps, kept, inverted = false } = request
  const fees = { amount0: position.fees0, amount1: position.fees1 }
  const most = requireUint128(mostOfMint({ bounds, liquidity, slippageBps, kept }), callerFields(inverted))
  const { valueWei, ...payment } = planPayment(
    sidesOf(pool.token0, pool.token1, excess(most, fees)),
    positionManager,
    'permit2',
  )
  const data = encodeIncrease(position, liquidity, most, { sweeps: valueWei > 0n, deadline: request.deadline })
  return {
    intent: routineIntent(chain, {
      calls: [{ to: positionManager, data, valueWei, label: 'increase liquidity' }],
      atomicity: 'single',
      ...payment,
      receives: leastReceipts(sidesOf(pool.token0, pool.token1, excess(fees, most))),
      slippageBps,
      deadline: request.deadline,
      deposits: [increaseOf(position, { amount0, amount1, liquidity, minLiquidity: liquidity, isInverted: inverted })],
      why: `Add ${describeAmounts(callerSides(sides, inverted), 'up')} to v4 position ${position.positionId}.`,
    }),
    preview: fitted,
    decode: async (settled) => {
      const { liquidityDelta, principal } = await readModification(
        ports,
        chain,
        pool,
        BigInt(position.positionId),
        settled,
      )
      return { liquidity: liquidityDelta, ...principal }
    },
  }
}

/** `close` pays a debt or takes a surplus: which it is depends on the fees. */
export function encodeIncrease(
  position: Position,
  liquidity: bigint,
  most: Amounts,
  { sweeps, deadline }: { readonly sweeps: boolean; readonly deadline: number },
): Hex {
  const key = poolKeyOf(position.pool)
  return encodeModifyLiquidities(
    [
      v4Action.increase(BigInt(position.positionId), liquidity, most),
      v4Action.close(key.currency0),
      v4Action.close(key.currency1),
      ...(sweeps ? [v4Action.sweepToCaller(zeroAddress)] : []),
    ],
    deadline,
  )
}

/** What the amounts are over the others, side by side. */
function excess(amounts: Amounts, over: Amounts): Amounts {
  return {
    amount0: amounts.amount0 > over.amount0 ? amounts.amount0 - over.amount0 : 0n,
    amount1: amounts.amount1 > over.amount1 ? amounts.amount1 - over.amount1 : 0n,
  }
}
