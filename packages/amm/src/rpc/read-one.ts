import { type Address, type Hex, parseAbi, type PublicClient } from 'viem'
import type { Chain } from '@svc/wallet/core'
import { contractFunction, type ContractRead } from './contract-function.ts'
import { ethCall, everyResult, readOnce } from './read-all.ts'
import { ToolError } from '../tool-error.ts'
import type { RpcPool } from '../ports.ts'
import { joinQueries, mapQuery, query, type Query } from './query.ts'

/**
 * One read without Multicall3, at the newest block where none is named. As in `readAll`, one that reverts or answers with other
 * bytes than its ABI says is `null`, and a failing endpoint is never taken for that.
 *
 * @throws ToolError `RPC_*`
 */
export async function readOne<Result>(
  client: PublicClient,
  read: ContractRead<Result>,
  blockNumber?: bigint,
): Promise<Result | null> {
  const answer = await callAnswer(client, read, blockNumber)
  if (answer === '0x') return null
  try {
    return read.decode(answer)
  } catch {
    return null
  }
}

/** The bytes that a contract answers with; `0x` where it reverts. @throws ToolError `RPC_*` */
export async function callAnswer(
  client: PublicClient,
  { to, data }: { readonly to: Address; readonly data: Hex },
  blockNumber?: bigint,
): Promise<Hex> {
  try {
    return await ethCall(client, { to, data }, blockNumber)
  } catch (error) {
    if (error instanceof ToolError) throw error
    return '0x'
  }
}

/**
 * Like `readOne`, for a read that cannot revert.
 *
 * @throws ToolError `RPC_*`, `RPC_REFUSED` where it did, or was answered with other bytes.
 */
export async function readSurely<Result>(
  client: PublicClient,
  read: ContractRead<Result>,
  blockNumber?: bigint,
): Promise<Result> {
  const [result] = everyResult([await readOne(client, read, blockNumber)])
  return result as Result
}

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
/** The time of a block, by Multicall3. */
export const readTime = contractFunction(multicall3Abi, 'getCurrentBlockTimestamp')
