import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress, type Hex } from 'viem'
import type { IncreaseOutcome, LiquidityPlan, PlanPorts, Position, RemoveOutcome, RemoveRequest } from '../../ports.ts'
import { callerFields } from '../planning/deposit/opening-price.ts'
import { fitIncrease, type IncreaseRequest, increaseOf } from '../planning/deposit/fit-deposit.ts'
import {
  callerSides,
  describeAmounts,
  leastReceipts,
  planPayment,
  routineIntent,
  sidesOf,
} from '../planning/plan-payment.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { mostOfMint } from '../planning/slippage-limits.ts'
import { encodeModifyLiquidities, requireUint128, v4Action } from './v4-action.ts'
import { poolKeyOf, refuseDeltaHooks } from './pool-key.ts'
import { readModification } from './read-modification.ts'
import { fitRemoval } from '../planning/fit-removal.ts'

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
