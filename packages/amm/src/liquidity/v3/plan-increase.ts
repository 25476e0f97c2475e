import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, parseEventLogs, type Address, type Hex } from 'viem'
import type { Settled } from '../../intent.ts'
import type { IncreaseOutcome, LiquidityPlan, Position } from '../../ports.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import { increaseOf } from '../planning/deposit/deposit-of.ts'
import { callerSides, describeAmounts } from '../planning/describe-amounts.ts'
import { type FittedIncrease, fitIncrease, type IncreaseRequest } from '../planning/deposit/fit-increase.ts'
import { liquidityForAmounts } from '../planning/deposit/liquidity-for-amounts.ts'
import { logsOf, requireEvent } from '../planning/transfers-of.ts'
import { planPayment, routineIntent } from '../planning/plan-payment.ts'
import type { PlanPorts } from '../liquidity-ports.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { leastOfMint } from '../planning/slippage-limits.ts'
import { positionManagerCall } from './merge-position-manager-calls.ts'

/**
 * Plans to add liquidity to a v3 position. Fees the position has earned stay owed to it: they pay nothing of it.
 *
 * @throws ToolError `VALIDATION_FAILED`, `AMOUNT_TOO_SMALL`, `VERSION_NOT_DEPLOYED`.
 */
export function planIncreaseV3(
  ports: Pick<PlanPorts, 'tokens'>,
  chain: Chain,
  position: Position,
  request: IncreaseRequest,
): LiquidityPlan<IncreaseOutcome, IncreaseOutcome> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const increase = fitIncrease(ports, chain, position, request)
  const { slippageBps } = request
  const { amount0, amount1 } = increase.fitted
  const liquidity = liquidityForAmounts({ bounds: increase.bounds, amount0, amount1, slippageBps })
  const { valueWei, ...payment } = planPayment(increase.sides, positionManager, 'erc20')
  const steps = [
    encodeIncrease(position, increase, request),
    ...(valueWei > 0n ? [encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'refundETH' })] : []),
  ]
  return {
    intent: routineIntent(chain, {
      ...positionManagerCall(positionManager, steps, valueWei, 'increase liquidity'),
      ...payment,
      slippageBps,
      deadline: request.deadline,
      deposits: [increaseOf(position, { amount0, amount1, ...liquidity, isInverted: request.inverted ?? false })],
      why: `Add ${describeAmounts(callerSides(increase.sides, request.inverted ?? false), 'up')} to v3 position ${position.positionId}.`,
    }),
    preview: increase.fitted,
    decode: async (settled) => decodeIncrease(settled, positionManager),
  }
}

export function encodeIncrease(
  position: Position,
  increase: Pick<FittedIncrease, 'bounds' | 'fitted'>,
  request: Pick<IncreaseRequest, 'slippageBps' | 'kept' | 'deadline'>,
): Hex {
  const { bounds, fitted } = increase
  const { slippageBps, kept } = request
  const least = leastOfMint({ bounds, liquidity: fitted.liquidity, slippageBps, kept })
  const params = {
    tokenId: BigInt(position.positionId),
    amount0Desired: fitted.amount0,
    amount1Desired: fitted.amount1,
    amount0Min: least.amount0,
    amount1Min: least.amount1,
    deadline: BigInt(request.deadline),
  }
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'increaseLiquidity', args: [params] })
}

export function decodeIncrease(settled: Settled, positionManager: Address): IncreaseOutcome {
  const logs = logsOf(settled, positionManager)
  const events = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'IncreaseLiquidity', logs })
  const { liquidity, amount0, amount1 } = requireEvent(events, 'IncreaseLiquidity').args
  return { liquidity, amount0, amount1 }
}
