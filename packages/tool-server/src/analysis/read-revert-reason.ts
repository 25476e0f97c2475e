import type { Chain } from '@svc/wallet/core'
import { decodeErrorResult, isHex, parseAbi, type Hex, type TransactionReceipt } from 'viem'
import type { Ports } from '../ports.ts'
import { printableText } from '@svc/amm/tokens'

/**
 * Why a mined transaction reverted, found by calling it again on the state before its block; null when the endpoint keeps
 * no such state, when the replay does not fail, or when the revert carried no data. A contract's own text is escaped
 * and capped.
 */
export async function readRevertReason(
  ports: Pick<Ports, 'rpc'>,
  chain: Chain,
  receipt: Pick<TransactionReceipt, 'transactionHash' | 'blockNumber'>,
): Promise<string | null> {
  const client = ports.rpc.client(chain)
  try {
    const { from, to, input, value } = await client.getTransaction({ hash: receipt.transactionHash })
    await client.call({ account: from, to, data: input, value, blockNumber: receipt.blockNumber - 1n })
    return null
  } catch (error) {
    const data = revertDataOf(error)
    return data === null ? null : printableText(reasonIn(data), longestReason)
  }
}

const longestReason = 120

/** What Solidity's require, revert and assert send (Solidity documentation, "Panic via assert and Error via require"). */
const solidityErrors = parseAbi(['error Error(string message)', 'error Panic(uint256 code)'])

function revertDataOf(error: unknown): Hex | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('data' in cause && isHex(cause.data) && cause.data.length >= 10) return cause.data
  }
  return null
}

function reasonIn(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: solidityErrors, data })
    return errorName === 'Error' ? args[0] : `panic ${args[0]}`
  } catch {
    return `custom error ${data.slice(0, 10)}`
  }
}
