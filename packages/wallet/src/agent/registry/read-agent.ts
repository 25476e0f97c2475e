import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError } from 'viem'
import { WalletError } from '../../wallet-error.ts'

/** Reads of an agent that is not there revert: that is `AGENT_NOT_FOUND`, an endpoint that fails is `RPC_UNAVAILABLE`. */
export async function readAgent<Result>(tokenId: bigint, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    if (isRefusal(cause)) throw new WalletError('AGENT_NOT_FOUND', `The registry has no agent ${tokenId}.`, { cause })
    throw new WalletError('RPC_UNAVAILABLE', `Agent ${tokenId} could not be read.`, { cause })
  }
}

/**
 * Whether the contract itself refused: it reverted, or it has no such function. The client takes an endpoint's internal
 * error for a revert as well, which it is only where data or words say so.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const isOfContract = (cause: unknown) =>
    cause instanceof ContractFunctionZeroDataError ||
    (cause instanceof ContractFunctionRevertedError && (cause.raw !== undefined || /revert/i.test(cause.reason ?? '')))
  return error.walk(isOfContract) !== null
}
