import { maxAmountsWithSlippage } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { zeroAddress } from 'viem'
import type { IncreaseOutcome, Planned, Position } from '../../../ports.ts'
import { describeAmounts } from '../planning/describe-amounts.ts'
import { fitIncrease, type IncreaseRequest } from '../planning/fit-increase.ts'
import { leastReceipts } from '../planning/least-receipts.ts'
import { planPayment } from '../planning/plan-payment.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { encodeModifyLiquidities } from './encode-modify-liquidities.ts'
import { poolKeyOf } from './pool-key.ts'
import { readModification } from './read-modification.ts'
import { refuseDeltaHooks } from './refuse-delta-hooks.ts'
import { requireUint128 } from './require-uint128.ts'
import { v4Action } from './v4-action.ts'

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
): Planned<IncreaseOutcome, IncreaseOutcome> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const { pool } = position
  refuseDeltaHooks(pool.hooks, 'positionId')
  const key = poolKeyOf(pool)
  const { bounds, fitted, sides } = fitIncrease(ports, chain, position, request)
  const { liquidity } = fitted
  const most = requireUint128(maxAmountsWithSlippage({ ...bounds, liquidity, slippageBps: request.slippageBps }), {
    amount0: 'amount0',
    amount1: 'amount1',
  })
  const { valueWei, ...payment } = planPayment(
    [
      { token: pool.token0, amount: excess(most.amount0, position.fees0) },
      { token: pool.token1, amount: excess(most.amount1, position.fees1) },
    ],
    positionManager,
    'permit2',
  )
  const steps = [
    v4Action.increase(BigInt(position.positionId), liquidity, most),
    v4Action.close(key.currency0),
    v4Action.close(key.currency1),
    ...(valueWei > 0n ? [v4Action.sweepToCaller(zeroAddress)] : []),
  ]
  const data = encodeModifyLiquidities(steps, request.deadline)
  return {
    intent: {
      chainId: chain.id,
      calls: [{ to: positionManager, data, valueWei, label: 'increase liquidity' }],
      atomicity: 'single',
      ...payment,
      receives: leastReceipts([
        { token: pool.token0, amount: excess(position.fees0, most.amount0) },
        { token: pool.token1, amount: excess(position.fees1, most.amount1) },
      ]),
      riskTier: 'routine',
      slippageBps: request.slippageBps,
      deadline: request.deadline,
      recipients: [],
      why: `Add ${describeAmounts(sides)} to v4 position ${position.positionId}.`,
    },
    preview: fitted,
    decode: async (settled) => {
      const { liquidityDelta, principal } = await readModification(ports, chain, pool, settled)
      return { liquidity: liquidityDelta, ...principal }
    },
  }
}

function excess(amount: bigint, over: bigint): bigint {
  return amount > over ? amount - over : 0n
}
