import { type Amounts, getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, type Hex, isAddressEqual, parseEventLogs, getAbiItem } from 'viem'
import type { Pool, PlanPorts } from '../../ports.ts'
import { v4PoolManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readSurely } from '../../rpc/query.ts'
import { requireDeployment } from '../planning/refusals.ts'
import type { Settled } from '../../intent.ts'
import { logsOf, requireEvent, transfersOf } from '../planning/plan-payment.ts'
import { ToolError } from '../../tool-error.ts'

/**
 * What a mined liquidity change of one v4 position moved, exact to the smallest unit. The position manager keeps each
 * position under its token id as the salt, so the log is found by it even when the call made a hook touch other positions
 * of the pool. The log says how much liquidity; the
 * fees it paid out are the growth that the pool accounted for in that block; the principal is the rest of the token
 * transfers, and for the native currency, which leaves no transfer log, what the liquidity stands for at the price the
 * log was written at. So it is for both tokens where the transaction changes other positions, too (not `isAlone`).
 *
 * @throws ToolError `INTERNAL` when the receipt holds no such log, `RPC_*` when the chain does not answer.
 */
export async function readModification(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  pool: Pool,
  tokenId: bigint,
  settled: Settled,
  { isAlone = true, isNew = false }: ModificationKind = {},
): Promise<Modification> {
  const { poolManager, positionManager } = requireDeployment(chain, 'v4')
  const logs = logsOf(settled, poolManager)
  const events = parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'ModifyLiquidity', logs }).filter(
    ({ args }) => args.id === pool.id && isAddressEqual(args.sender, positionManager) && BigInt(args.salt) === tokenId,
  )
  const event = requireEvent(events, 'ModifyLiquidity')
  const { tickLower, tickUpper, liquidityDelta, salt } = event.args
  const at = { pool, blockNumber: settled.main.blockNumber }
  const isDeposit = liquidityDelta > 0n
  const [fees, sqrtPriceX96] = await Promise.all([
    isNew ? noFees : readPaidFees(ports, chain, { ...at, tickLower, tickUpper, salt }),
    pool.token0.isNative || !isAlone ? readPriceAtLog(ports, chain, { ...at, logIndex: event.logIndex }) : null,
  ])
  const moved = (token: Address, fee: bigint) => {
    const transfers = transfersOf(settled, token)
    const received = transfers.outOf(poolManager) - transfers.into(poolManager)
    return isDeposit ? fee - received : received - fee
  }
  const atPrice = sqrtPriceX96 === null ? null : amountsAt(sqrtPriceX96, event.args)
  return {
    liquidityDelta,
    principal: {
      amount0: atPrice === null ? moved(pool.token0.address, fees.amount0) : atPrice.amount0,
      amount1: atPrice === null || isAlone ? moved(pool.token1.address, fees.amount1) : atPrice.amount1,
    },
    fees,
  }
}

/** What is known of a change before it is looked at: it alone changes positions in its transaction; it opens its position, which has earned nothing. */
type ModificationKind = { readonly isAlone?: boolean; readonly isNew?: boolean }

const noFees: Amounts = { amount0: 0n, amount1: 0n }

export type Modification = {
  /** Positive for a deposit. */
  readonly liquidityDelta: bigint
  /** What the liquidity alone cost or paid out, in the pool's order. */
  readonly principal: Amounts
  readonly fees: Amounts
}

/** What a liquidity change moves at a price: the pool rounds against whoever changes it. */
function amountsAt(
  sqrtPriceX96: bigint,
  change: { readonly tickLower: number; readonly tickUpper: number; readonly liquidityDelta: bigint },
): Amounts {
  const { liquidityDelta } = change
  const isDeposit = liquidityDelta > 0n
  return getAmountsForLiquidity(
    sqrtPriceX96,
    getSqrtPriceAtTick(change.tickLower),
    getSqrtPriceAtTick(change.tickUpper),
    isDeposit ? liquidityDelta : -liquidityDelta,
    isDeposit,
  )
}

/**
 * The fees that a change of a v4 position in a block paid out: the growth inside its range that the pool had accounted
 * for after the block but not before it, times the liquidity it then had. Trades of others in the same block do not
 * matter, because the growth is noted at the change itself. Source: `Position.update` of v4-core.
 */
export async function readPaidFees(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  change: {
    readonly pool: Pool
    readonly tickLower: number
    readonly tickUpper: number
    readonly salt: Hex
    readonly blockNumber: bigint
  },
): Promise<Amounts> {
  const { positionManager, stateView } = requireDeployment(chain, 'v4')
  const client = ports.rpc.client(chain)
  const position = [change.pool.id, positionManager, change.tickLower, change.tickUpper, change.salt] as const
  const positionAt = (blockNumber: bigint) =>
    readSurely(client, contractRead(stateView, v4StateViewAbi, 'getPositionInfo', position), blockNumber)
  const [[liquidity, before0, before1], [, after0, after1]] = await Promise.all([
    positionAt(change.blockNumber - 1n),
    positionAt(change.blockNumber),
  ])
  return { amount0: earned(after0 - before0, liquidity), amount1: earned(after1 - before1, liquidity) }
}

/** Fee growth is counted modulo 2^256 per unit of liquidity, times 2^128. */
function earned(growthX128: bigint, liquidity: bigint): bigint {
  return (BigInt.asUintN(256, growthX128) * liquidity) >> 128n
}

/**
 * The sqrt price (Q64.96) of a v4 pool at the moment a log was written: that of the last swap, or of its creation, before
 * the log in the same block, else that at the end of the block before.
 *
 * @throws ToolError `INTERNAL` when the pool did not exist then.
 */
export async function readPriceAtLog(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  moment: { readonly pool: Pool; readonly blockNumber: bigint; readonly logIndex: number },
): Promise<bigint> {
  const { poolManager, stateView } = requireDeployment(chain, 'v4')
  const { pool, blockNumber } = moment
  const client = ports.rpc.client(chain)
  const inBlock = { address: poolManager, args: { id: pool.id }, fromBlock: blockNumber, toBlock: blockNumber } as const
  const [swaps, creations, [priceBefore]] = await Promise.all([
    client.getLogs({ ...inBlock, event: getAbiItem({ abi: v4PoolManagerAbi, name: 'Swap' }), strict: true }),
    client.getLogs({ ...inBlock, event: getAbiItem({ abi: v4PoolManagerAbi, name: 'Initialize' }), strict: true }),
    readSurely(client, contractRead(stateView, v4StateViewAbi, 'getSlot0', [pool.id]), blockNumber - 1n),
  ])
  const last = [...creations, ...swaps].findLast((log) => log.logIndex < moment.logIndex)
  const sqrtPriceX96 = last ? last.args.sqrtPriceX96 : priceBefore
  if (sqrtPriceX96 > 0n) return sqrtPriceX96
  throw new ToolError('INTERNAL', `Pool ${pool.id} had no price in block ${blockNumber}.`)
}
