import type { Chain } from '@svc/wallet/core'
import { parseAbi } from 'viem'
import type { RpcPool } from '../ports.ts'
import { contractFunction } from './contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from './query.ts'
import { readOnce } from './read-all.ts'

/** What is made of older state, which depends on the time of its block. */
export type PastQuery<Result> = Query<(atSeconds: number) => Result>

/**
 * Carries a query out at an older block and gives it the time of that block, which Multicall3 tells in the same call. `null`
 * where the endpoint does not have that state, or cannot be read: what is gone is no error. Nothing is asked twice.
 */
export async function readPast<Result>(
  rpc: Pick<RpcPool, 'past'>,
  chain: Chain,
  past: PastQuery<Result>,
  blockNumber: bigint,
): Promise<Result | null> {
  const timed = mapQuery(joinQueries([timeQuery(chain), past] as const), ([atSeconds, reported]) =>
    atSeconds === null ? null : reported(atSeconds),
  )
  const results = await readOnce(rpc.past(chain), chain, timed.reads, blockNumber)
  return results === null ? null : timed.finish(results)
}

function timeQuery({ multicall3 }: Chain): Query<number | null> {
  return query([readTime(multicall3, [])], ([seconds]) => (seconds === null ? null : Number(seconds)))
}

const multicall3Abi = parseAbi(['function getCurrentBlockTimestamp() view returns (uint256 timestamp)'])
const readTime = contractFunction(multicall3Abi, 'getCurrentBlockTimestamp')
