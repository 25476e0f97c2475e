import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  maxUint128,
  parseEventLogs,
} from 'viem'
import type { Settled } from '../../intent.ts'
import type { LiquidityPlan, Position, RemoveOutcome, RemoveRequest } from '../../ports.ts'
import { v3PoolAbi, v3PositionManagerAbi } from '../../abis/v3.ts'
import { fitRemoval, type FittedRemoval } from '../planning/fit-removal.ts'
import { leastReceipts, routineIntent, sidesOf, logsOf, requireEvent } from '../planning/plan-payment.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { positionManagerCall } from '../planning/merge-intents.ts'

/**
 * Plans to take liquidity out of a v3 position and to pay it out, in one transaction. With `collectFees` everything owed
 * is paid out too; without, the payout is capped at the principal of the present price, so that fees stay owed (should the
 * price move in between, the cap does not: a little principal may stay owed, or a little of the fees come along, and the
 * outcome says so). An emptied position keeps its NFT, so that its id stays known and what it is owed collectable.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planRemoveV3(
  chain: Chain,
  position: Position,
  request: RemoveRequest,
): LiquidityPlan<RemoveOutcome, RemoveOutcome> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const { token0, token1 } = position.pool
  const removal = fitRemoval(position, request)
  const steps = [
    encodeDecrease(position, removal, request),
    encodeCollect(position, request.recipient, request.collectFees ? undefined : removal.principal),
  ]
  return {
    intent: routineIntent(chain, {
      ...positionManagerCall(positionManager, steps, 0n, 'remove liquidity'),
      receives: leastReceipts(sidesOf(token0, token1, removal.least)),
      slippageBps: request.slippageBps,
      deadline: request.deadline,
      recipients: [request.recipient],
      why: `Remove ${request.percentage} % of v3 position ${position.positionId}.`,
    }),
    preview: {
      liquidityRemoved: removal.liquidity,
      ...removal.principal,
      fees0: request.collectFees ? position.fees0 : 0n,
      fees1: request.collectFees ? position.fees1 : 0n,
    },
    decode: async (settled) => decodeRemoval(settled, position, positionManager),
  }
}

/** Takes liquidity out; what it pays stays owed to the position. */
export function encodeDecrease(
  position: Position,
  removal: FittedRemoval,
  request: Pick<RemoveRequest, 'deadline'>,
): Hex {
  const params = {
    tokenId: BigInt(position.positionId),
    liquidity: removal.liquidity,
    amount0Min: removal.least.amount0,
    amount1Min: removal.least.amount1,
    deadline: BigInt(request.deadline),
  }
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'decreaseLiquidity', args: [params] })
}

/** Pays out what a position is owed, at most so much of it. */
export function encodeCollect(position: Position, recipient: Address, most: Amounts = everything): Hex {
  const { amount0: amount0Max, amount1: amount1Max } = most
  const params = { tokenId: BigInt(position.positionId), recipient, amount0Max, amount1Max }
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'collect', args: [params] })
}

/**
 * What the pool paid out for a position, from the pool's own Collect log. The log of the same name of the position manager
 * says what it asked for, which can be a few units more.
 */
export function collectedFromPool(settled: Settled, position: Position, positionManager: Address): Amounts {
  const logs = logsOf(settled, getAddress(position.pool.id))
  const events = parseEventLogs({ abi: v3PoolAbi, eventName: 'Collect', logs }).filter(
    ({ args }) =>
      isAddressEqual(args.owner, positionManager) &&
      args.tickLower === position.tickLower &&
      args.tickUpper === position.tickUpper,
  )
  const { amount0, amount1 } = requireEvent(events, 'Collect').args
  return { amount0, amount1 }
}

const everything: Amounts = { amount0: maxUint128, amount1: maxUint128 }

export function decodeRemoval(settled: Settled, position: Position, positionManager: Address): RemoveOutcome {
  const logs = logsOf(settled, positionManager)
  const events = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'DecreaseLiquidity', logs })
  const { liquidity, amount0: freed0, amount1: freed1 } = requireEvent(events, 'DecreaseLiquidity').args
  const paid = collectedFromPool(settled, position, positionManager)
  const amount0 = paid.amount0 < freed0 ? paid.amount0 : freed0
  const amount1 = paid.amount1 < freed1 ? paid.amount1 : freed1
  return {
    liquidityRemoved: liquidity,
    amount0,
    amount1,
    fees0: paid.amount0 - amount0,
    fees1: paid.amount1 - amount1,
  }
}
