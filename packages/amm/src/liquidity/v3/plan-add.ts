import type { Chain } from '@svc/wallet/core'
import type {
  AddOutcome,
  AddPreview,
  AddRequest,
  LiquidityPlan,
  Pool,
  IncreaseOutcome,
  Position,
  PlanPorts,
} from '../../ports.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import { customarySpacing } from '../planning/deposit/resolve-range.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readSurely } from '../../rpc/query.ts'
import { type AmountFields, liquidityForAmounts } from '../planning/deposit/fit-amounts.ts'
import {
  openingPrice,
  poolToCome,
  callerFields,
  flip,
  type OrderedPair,
  orderPair,
} from '../planning/deposit/opening-price.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { encodeFunctionData, parseEventLogs, type Address, type Hex } from 'viem'
import type { IntentDeposit, Settled } from '../../intent.ts'
import {
  depositOf,
  increaseOf,
  type FittedDeposit,
  fitDeposit,
  type FittedIncrease,
  fitIncrease,
  type IncreaseRequest,
} from '../planning/deposit/fit-deposit.ts'
import {
  callerSides,
  describeAmounts,
  logsOf,
  requireEvent,
  planPayment,
  routineIntent,
} from '../planning/plan-payment.ts'
import { leastOfMint } from '../planning/slippage-limits.ts'
import { positionManagerCall } from '../planning/merge-intents.ts'

/**
 * Plans a new v3 position. The contract is asked to take what the range needs at the present price, and its minimums come
 * from the liquidity at the worst price within the slippage. A missing pool is created in the same call at the price of
 * the amounts; the native currency goes along as value and what is left of it comes back.
 *
 * @throws ToolError `VALIDATION_FAILED`, `AMOUNT_TOO_SMALL`, `VERSION_NOT_DEPLOYED`, and what reading throws.
 */
export async function planAddV3(
  ports: PlanPorts,
  chain: Chain,
  request: AddRequest,
): Promise<LiquidityPlan<AddPreview, AddOutcome>> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const pair = orderPair(ports.tokens, chain, 'v3', request)
  const { inverted } = pair
  const target = await findOrOpenV3Pool(ports, chain, pair, {
    fee: request.fee,
    ...flip<bigint | null>(inverted, request),
    fields: callerFields(inverted),
  })
  return planMintV3(positionManager, chain, target, { deposit: fitDeposit(request, pair, target), inverted, request })
}

/** Plans the mint of a deposit whose range and liquidity are known. */
export function planMintV3(
  positionManager: Address,
  chain: Chain,
  target: { readonly pool: Pool; readonly createsPool: boolean },
  { deposit, inverted, request }: MintRequest,
): LiquidityPlan<AddPreview, AddOutcome> {
  const { valueWei, ...payment } = planPayment(deposit.sides, positionManager, 'erc20')
  const steps = [
    ...(target.createsPool ? [encodeCreate(target.pool)] : []),
    encodeMint(target.pool, deposit, request),
    ...(valueWei > 0n ? [encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'refundETH' })] : []),
  ]
  const label = target.createsPool ? 'create pool and mint position' : 'mint position'
  return {
    intent: routineIntent(chain, {
      ...positionManagerCall(positionManager, steps, valueWei, label),
      ...payment,
      slippageBps: request.slippageBps,
      deadline: request.deadline,
      recipients: [request.recipient],
      deposits: [mintOf(target, deposit, request, inverted)],
      why: `Add ${describeAmounts(callerSides(deposit.sides, inverted), 'up')} to a ${target.createsPool ? 'new ' : ''}v3 pool.`,
    }),
    preview: deposit.preview,
    decode: async (settled) => decodeMint(settled, positionManager, inverted),
  }
}

type MintRequest = {
  readonly deposit: FittedDeposit
  readonly inverted: boolean
  readonly request: Pick<AddRequest, 'slippageBps' | 'deadline' | 'recipient' | 'kept'>
}

export function mintOf(
  { pool, createsPool }: { readonly pool: Pool; readonly createsPool: boolean },
  { bounds, fitted, ticks }: Pick<FittedDeposit, 'bounds' | 'fitted' | 'ticks'>,
  { recipient, slippageBps }: Pick<AddRequest, 'recipient' | 'slippageBps'>,
  isInverted: boolean,
): IntentDeposit {
  const { amount0, amount1 } = fitted
  const liquidity = liquidityForAmounts({ bounds, amount0, amount1, slippageBps })
  return depositOf(pool, { ...ticks, amount0, amount1, ...liquidity, recipient, createsPool, isInverted })
}

function encodeCreate(pool: Pool): Hex {
  return encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [pool.token0.address, pool.token1.address, pool.fee, pool.sqrtPriceX96],
  })
}

export function encodeMint(
  pool: Pool,
  deposit: Pick<FittedDeposit, 'bounds' | 'fitted' | 'ticks'>,
  request: Pick<AddRequest, 'slippageBps' | 'kept' | 'recipient' | 'deadline'>,
): Hex {
  const { bounds, fitted, ticks } = deposit
  const { slippageBps, kept } = request
  const least = leastOfMint({ bounds, liquidity: fitted.liquidity, slippageBps, kept })
  const params = {
    token0: pool.token0.address,
    token1: pool.token1.address,
    fee: pool.fee,
    ...ticks,
    amount0Desired: fitted.amount0,
    amount1Desired: fitted.amount1,
    amount0Min: least.amount0,
    amount1Min: least.amount1,
    recipient: request.recipient,
    deadline: BigInt(request.deadline),
  }
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'mint', args: [params] })
}

export function decodeMint(settled: Settled, positionManager: Address, inverted: boolean): AddOutcome {
  const logs = logsOf(settled, positionManager)
  const events = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'IncreaseLiquidity', logs })
  const { tokenId, liquidity, ...amounts } = requireEvent(events, 'IncreaseLiquidity').args
  return { positionId: tokenId.toString(), liquidity, ...flip(inverted, amounts) }
}

/**
 * The v3 pool of a pair and fee as it stands, or, when it is missing, as a deposit of these amounts would create it. The
 * address of a pool to come is asked of the contract that would create it, because not every chain derives it alike.
 *
 * @throws ToolError `VALIDATION_FAILED` for a fee that is no tier, and when a missing pool cannot be priced.
 */
async function findOrOpenV3Pool(
  ports: PlanPorts,
  chain: Chain,
  pair: OrderedPair,
  request: {
    readonly fee: number | null
    readonly amount0: bigint | null
    readonly amount1: bigint | null
    readonly fields: AmountFields
  },
): Promise<{ pool: Pool; createsPool: boolean }> {
  const { fee, tickSpacing } = customarySpacing(request.fee)
  const pools = await ports.liquidity.findPools(chain, pair.token0, pair.token1, ['v3'])
  const found = pools.find((pool) => pool.fee === fee && pool.sqrtPriceX96 > 0n)
  if (found) return { pool: found, createsPool: false }
  const sqrtPriceX96 = openingPrice(request, request.fields)
  const client = ports.rpc.client(chain)
  const { positionManager } = requireDeployment(chain, 'v3')
  const args = [pair.token0.address, pair.token1.address, fee, sqrtPriceX96] as const
  const [id, blockNumber] = await Promise.all([
    readSurely(client, contractRead(positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', args)),
    client.getBlockNumber(),
  ])
  const facts = { version: 'v3', id, fee, tickSpacing, hooks: null, sqrtPriceX96, blockNumber } as const
  return { createsPool: true, pool: poolToCome(pair, facts) }
}

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
