import type { PublicClient } from 'viem'
import type { ContractRead } from './contract-function.ts'
import { everyResult } from './every-result.ts'
import { readOne } from './read-one.ts'

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
