import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseEventLogs, zeroAddress } from 'viem'
import type { Intent, Settled } from '../../intent.ts'
import type { AddOutcome, AddPreview, AddRequest, LiquidityPlan, Pool, PlanPorts } from '../../ports.ts'
import { v4PoolManagerAbi, v4PositionManagerAbi } from '../../abis/v4.ts'
import {
  logsOf,
  requireEvent,
  callerSides,
  describeAmounts,
  planPayment,
  routineIntent,
  sidesOf,
} from '../planning/plan-payment.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { readQuery } from '../../rpc/query.ts'
import { customarySpacing } from '../planning/deposit/resolve-range.ts'
import type { AmountFields } from '../planning/deposit/fit-amounts.ts'
import {
  openingPrice,
  poolToCome,
  callerFields,
  flip,
  type OrderedPair,
  orderPair,
} from '../planning/deposit/opening-price.ts'
import { v4PoolQuery, poolOf } from '../pools/pool-state.ts'
import { poolIdOf, poolKeyOf, refuseDeltaHooks } from './pool-key.ts'
import type { Amounts } from '@svc/lp-math'
import { depositOf, type FittedDeposit, fitDeposit } from '../planning/deposit/fit-deposit.ts'
import { mostOfMint } from '../planning/slippage-limits.ts'
import { encodeModifyLiquidities, requireUint128, v4Action } from './v4-action.ts'
import { readModification } from './read-modification.ts'

/**
 * Plans a new v4 position. A v4 mint fixes the liquidity, not the amounts: it is what the given amounts buy at the present
 * price, and should the price move within the slippage, more of one token (in a narrow range much more) and less of the other is paid. The
 * most that may be paid is what is declared, allowed through Permit2, and sent along of the native currency, whose rest
 * comes back. A missing pool is created in the same transaction at the price of the amounts.
 *
 * @throws ToolError `VALIDATION_FAILED`, `AMOUNT_TOO_SMALL`, `HOOK_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`, and what reading throws.
 */
export async function planAddV4(
  ports: PlanPorts,
  chain: Chain,
  request: AddRequest,
): Promise<LiquidityPlan<AddPreview, AddOutcome>> {
  requireDeployment(chain, 'v4')
  const pair = orderPair(ports.tokens, chain, 'v4', request)
  const { inverted } = pair
  const fields = callerFields(inverted)
  const { pool, createsPool } = await findOrOpenV4Pool(ports, chain, pair, {
    fee: request.fee,
    hooks: request.hooks,
    ...flip<bigint | null>(inverted, request),
    fields,
  })
  const deposit = fitDeposit(request, pair, { pool, createsPool })
  return planMintV4(ports, chain, { pool, createsPool }, { deposit, inverted, request })
}

/** Plans the mint of a deposit whose range and liquidity are known. */
export function planMintV4(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  { pool, createsPool }: { readonly pool: Pool; readonly createsPool: boolean },
  { deposit, inverted, request }: MintRequest,
): LiquidityPlan<AddPreview, AddOutcome> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const { amount0, amount1, liquidity } = deposit.fitted
  const [paid0, paid1] = deposit.sides
  const { recipient, slippageBps, kept } = request
  const bounded = mostOfMint({ bounds: deposit.bounds, liquidity, slippageBps, kept })
  const most = requireUint128(bounded, callerFields(inverted))
  const amounts = { amount0, amount1, liquidity, minLiquidity: liquidity }
  const { valueWei, ...payment } = planPayment(sidesOf(paid0.token, paid1.token, most), positionManager, 'permit2')
  return {
    intent: routineIntent(chain, {
      ...mintCall(positionManager, { pool, createsPool, deposit, most, request, valueWei }),
      ...payment,
      slippageBps,
      deadline: request.deadline,
      recipients: [recipient],
      deposits: [depositOf(pool, { ...deposit.ticks, ...amounts, recipient, createsPool, isInverted: inverted })],
      why: `Add ${describeAmounts(callerSides(deposit.sides, inverted), 'up')} to a ${createsPool ? 'new ' : ''}v4 pool.`,
    }),
    preview: deposit.preview,
    decode: async (settled) => {
      const tokenId = mintedTokenId(settled, chain, { pool, ...deposit.ticks, liquidity, owner: recipient })
      const { liquidityDelta, principal } = await readModification(ports, chain, pool, tokenId, settled, {
        isNew: true,
      })
      return { positionId: tokenId.toString(), liquidity: liquidityDelta, ...flip(inverted, principal) }
    },
  }
}

type MintRequest = {
  readonly deposit: FittedDeposit
  readonly inverted: boolean
  readonly request: Pick<AddRequest, 'slippageBps' | 'deadline' | 'recipient' | 'kept'>
}

function mintCall(
  positionManager: Address,
  facts: {
    readonly pool: Pool
    readonly createsPool: boolean
    readonly deposit: FittedDeposit
    readonly most: Amounts
    readonly request: MintRequest['request']
    readonly valueWei: bigint
  },
): Pick<Intent, 'calls' | 'atomicity'> {
  const { pool, createsPool, deposit, most, request, valueWei } = facts
  const key = poolKeyOf(pool)
  const { liquidity } = deposit.fitted
  const modify = encodeModifyLiquidities(
    [
      v4Action.mint({ key, ...deposit.ticks, liquidity, most, owner: request.recipient }),
      v4Action.settlePair(key),
      ...(valueWei > 0n ? [v4Action.sweepToCaller(zeroAddress)] : []),
    ],
    request.deadline,
  )
  if (!createsPool) {
    return { calls: [{ to: positionManager, data: modify, valueWei, label: 'mint position' }], atomicity: 'single' }
  }
  const data = encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'multicall',
    args: [[encodeInitialize(pool), modify]],
  })
  const label = 'create pool and mint position'
  return { calls: [{ to: positionManager, data, valueWei, label }], atomicity: 'multicall' }
}

/**
 * `initializePool` swallows its own failure, an estimator's too small gas included: only together with a mint, which needs
 * the pool, does a failure show.
 */
function encodeInitialize(pool: Pool): Hex {
  return encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'initializePool',
    args: [poolKeyOf(pool), pool.sqrtPriceX96],
  })
}

/**
 * The v4 pool of a pair, fee and hook as it stands, or, when it is missing, as a deposit of these amounts would create it.
 * An existing pool may have any static fee; a new one has a customary fee and its tick spacing.
 *
 * @throws ToolError `VALIDATION_FAILED` for a fee that names no pool, and when a missing pool cannot be priced;
 *   `HOOK_NOT_SUPPORTED`.
 */
async function findOrOpenV4Pool(
  ports: PlanPorts,
  chain: Chain,
  pair: OrderedPair,
  request: V4PoolRequest,
): Promise<{ pool: Pool; createsPool: boolean }> {
  refuseDeltaHooks(request.hooks, 'hookAddress')
  const hooks = request.hooks ?? zeroAddress
  const pools = await ports.liquidity.findPools(chain, pair.token0, pair.token1, ['v4'])
  const listed = pools.find((pool) => pool.fee === request.fee && isAddressEqual(pool.hooks ?? zeroAddress, hooks))
  if (listed) return { pool: listed, createsPool: false }
  const { fee, tickSpacing } = customarySpacing(request.fee)
  const key = { currency0: pair.token0.address, currency1: pair.token1.address, fee, tickSpacing, hooks }
  const client = ports.rpc.client(chain)
  const blockNumber = await client.getBlockNumber()
  const unlisted = await readQuery(client, chain, v4PoolQuery(requireDeployment(chain, 'v4'), key), blockNumber)
  if (unlisted) return { pool: poolOf(unlisted, [pair.token0, pair.token1], blockNumber), createsPool: false }
  const sqrtPriceX96 = openingPrice(request, request.fields)
  const facts = { version: 'v4', id: poolIdOf(key), fee, tickSpacing, hooks: request.hooks } as const
  return { createsPool: true, pool: poolToCome(pair, { ...facts, sqrtPriceX96, blockNumber }) }
}

type V4PoolRequest = {
  readonly fee: number | null
  readonly hooks: Address | null
  /** In the pool's order. */
  readonly amount0: bigint | null
  readonly amount1: bigint | null
  readonly fields: AmountFields
}

/**
 * The id of the v4 position that a mined deposit opened: one whose token was minted to the owner, and into which exactly
 * the planned liquidity went in the planned range of the pool. A hook may mint or touch other positions in the same call.
 *
 * @throws ToolError `INTERNAL` when the receipt holds no such logs.
 */
export function mintedTokenId(settled: Settled, chain: Chain, minted: Minted): bigint {
  const { poolManager, positionManager } = requireDeployment(chain, 'v4')
  const transfers = parseEventLogs({
    abi: v4PositionManagerAbi,
    eventName: 'Transfer',
    logs: logsOf(settled, positionManager),
  }).filter(({ args }) => args.from === zeroAddress && isAddressEqual(args.to, minted.owner))
  const changes = parseEventLogs({
    abi: v4PoolManagerAbi,
    eventName: 'ModifyLiquidity',
    logs: logsOf(settled, poolManager),
  }).filter(({ args }) => isAddressEqual(args.sender, positionManager) && isPlanned(args, minted))
  const changed = new Set(changes.map(({ args }) => BigInt(args.salt)))
  return requireEvent(
    transfers.map(({ args }) => args.id).filter((id) => changed.has(id)),
    'Transfer of a new position',
  )
}

type Minted = {
  readonly pool: Pick<Pool, 'id'>
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  readonly owner: Address
}

function isPlanned(
  change: { id: string; tickLower: number; tickUpper: number; liquidityDelta: bigint },
  { pool, tickLower, tickUpper, liquidity }: Minted,
): boolean {
  return (
    change.id === pool.id &&
    change.tickLower === tickLower &&
    change.tickUpper === tickUpper &&
    change.liquidityDelta === liquidity
  )
}
