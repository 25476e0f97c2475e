import { BaseError, type Hex, type TransactionReceipt } from 'viem'
import type { ExecutionContext } from '../context/engine.ts'
import { revertReason } from './revert-reason.ts'
import type { Step } from '../context/step.ts'

/**
 * Why a mined transaction reverted, found by playing its call again on the state before its block. That is not quite the
 * state it met (others stood before it in the block), so the answer is the likely reason, and may be that there is none.
 */
export async function minedRevertReason(
  context: ExecutionContext,
  step: Step,
  receipt: TransactionReceipt,
): Promise<string> {
  const { client, wallet } = context
  try {
    await client.call({
      account: wallet,
      to: step.to,
      data: step.data,
      value: step.valueWei,
      blockNumber: receipt.blockNumber - 1n,
    })
    return 'reverted; the same call succeeds on the state before its block'
  } catch (error) {
    return revertReason(revertDataOf(error))
  }
}

function revertDataOf(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined
  const carrier = error.walk((cause) => typeof cause === 'object' && cause !== null && 'data' in cause)
  const data = carrier !== null && 'data' in carrier ? carrier.data : undefined
  return typeof data === 'string' && data.startsWith('0x') ? (data as Hex) : undefined
}
