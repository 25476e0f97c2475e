import { getTickAtSqrtPrice, integerSqrt } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { getAbiItem, toEventSelector, type Hash, type PublicClient } from 'viem'
import type { Pool, SwapRecord, Version } from '../../ports.ts'
import { v2PairAbi } from '../../abis/v2.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { readEventLogs } from '../logs/read-event-logs.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { orderedLogs, untrue } from './ordered-logs.ts'

/** A swap as its log tells it: without a time where the node gives none with its logs. */
export type SwapLog = Omit<SwapRecord, 'timestamp'> & { readonly timestamp: number | null }

/** The log that gave a pool its first price. */
export type CreationLog = Omit<SwapLog, 'amount0' | 'amount1' | 'liquidity' | 'fee'>

/**
 * Reads the swaps of a pool in a range of blocks, and but for pairs its creation, oldest first, amounts signed as the pool sees them.
 */
export type SwapLogReader = (from: bigint, to: bigint) => Promise<readonly (SwapLog | CreationLog)[]>

/** The reader for the version of a pool. The client's reads throw ToolError `RPC_*`, and `CANCELLED` once aborted. */
export function swapLogReader(client: PublicClient, chain: Chain, pool: Pool, signal?: AbortSignal): SwapLogReader {
  return readers[pool.version](client, chain, pool, signal)
}

const readers: { readonly [Key in Version]: (...terms: Parameters<typeof swapLogReader>) => SwapLogReader } = {
  v2: (client, _chain, pool, signal) => async (fromBlock, toBlock) => {
    const events = [getAbiItem({ abi: v2PairAbi, name: 'Swap' }), getAbiItem({ abi: v2PairAbi, name: 'Sync' })] as const
    const topics = [events.map(toEventSelector)]
    const reported = await readEventLogs(client, { address: pool.id, events, topics, fromBlock, toBlock, signal })
    const logs = orderedLogs(reported, { address: pool.id, fromBlock, toBlock })
    const swaps: SwapLog[] = []
    let reserves = { reserve0: 0n, reserve1: 0n }
    for (const log of logs) {
      // A pair logs its new reserves right before the swap that led to them.
      if (log.eventName === 'Sync') reserves = log.args
      else if (reserves.reserve0 > 0n && reserves.reserve1 > 0n) swaps.push(v2Swap(log, log.args, reserves, pool.fee))
      else throw untrue('a swap of a pair without its reserves')
    }
    return swaps
  },
  v3: (client, _chain, pool, signal) => async (fromBlock, toBlock) => {
    const of = { abi: v3PoolAbi } as const
    const events = [getAbiItem({ ...of, name: 'Swap' }), getAbiItem({ ...of, name: 'Initialize' })] as const
    const topics = [events.map(toEventSelector)]
    const logs = await readEventLogs(client, { address: pool.id, events, topics, fromBlock, toBlock, signal })
    return orderedLogs(logs, { address: pool.id, fromBlock, toBlock }).map((log) => {
      if (log.eventName === 'Initialize') return placed(log, log.args)
      const { amount0, amount1, sqrtPriceX96, liquidity, tick } = log.args
      return placed(log, { amount0, amount1, sqrtPriceX96, liquidity, tick, fee: pool.fee })
    })
  },
  v4: (client, chain, pool, signal) => async (fromBlock, toBlock) => {
    const of = { abi: v4PoolManagerAbi } as const
    const events = [getAbiItem({ ...of, name: 'Swap' }), getAbiItem({ ...of, name: 'Initialize' })] as const
    const address = requireDeployment(chain, 'v4').poolManager
    const topics = [events.map(toEventSelector), pool.id]
    const logs = await readEventLogs(client, { address, events, topics, fromBlock, toBlock, signal })
    return orderedLogs(logs, { address, fromBlock, toBlock }).map((log) => {
      if (log.args.id.toLowerCase() !== pool.id.toLowerCase()) throw untrue('a log of another pool')
      if (log.eventName === 'Initialize') {
        const { sqrtPriceX96, tick } = log.args
        return placed(log, { sqrtPriceX96, tick })
      }
      const { amount0, amount1, sqrtPriceX96, liquidity, tick, fee } = log.args
      // v4 logs what the swapper's balance gained; the pool's gained the opposite.
      return placed(log, { amount0: -amount0, amount1: -amount1, sqrtPriceX96, liquidity, tick, fee })
    })
  },
}

type Place = {
  readonly blockNumber: bigint
  readonly logIndex: number
  readonly blockTimestamp?: bigint | null | undefined
  readonly transactionHash: Hash
}

function placed<Facts>({ blockNumber, logIndex, blockTimestamp, transactionHash }: Place, facts: Facts) {
  const timestamp = typeof blockTimestamp === 'bigint' ? Number(blockTimestamp) : null
  return { blockNumber, logIndex, transactionHash, timestamp, ...facts }
}

function v2Swap(
  log: Place,
  amounts: { amount0In: bigint; amount0Out: bigint; amount1In: bigint; amount1Out: bigint },
  { reserve0, reserve1 }: { reserve0: bigint; reserve1: bigint },
  fee: number,
): SwapLog {
  const sqrtPriceX96 = integerSqrt((reserve1 << 192n) / reserve0)
  return placed(log, {
    amount0: amounts.amount0In - amounts.amount0Out,
    amount1: amounts.amount1In - amounts.amount1Out,
    sqrtPriceX96,
    tick: getTickAtSqrtPrice(sqrtPriceX96),
    liquidity: integerSqrt(reserve0 * reserve1),
    fee,
  })
}
