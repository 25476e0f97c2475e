import type { Address, Hex, PublicClient } from 'viem'
import type { ContractRead } from './contract-function.ts'
import { everyResult } from './every-result.ts'
import { ToolError } from '../tool-error.ts'

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
    return (await client.call({ to, data, ...(blockNumber !== undefined && { blockNumber }) })).data ?? '0x'
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
