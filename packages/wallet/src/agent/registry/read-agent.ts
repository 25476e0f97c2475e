import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError } from 'viem'
import { WalletError } from '../../wallet-error.ts'

/** Reads of an agent that is not there revert: that is `AGENT_NOT_FOUND`, an endpoint that fails is `RPC_UNAVAILABLE`. */
export async function readAgent<Result>(tokenId: bigint, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    const reverted =
      cause instanceof BaseError &&
      cause.walk(
        (error) => error instanceof ContractFunctionRevertedError || error instanceof ContractFunctionZeroDataError,
      ) !== null
    if (reverted) throw new WalletError('AGENT_NOT_FOUND', `The registry has no agent ${tokenId}.`, { cause })
    throw new WalletError('RPC_UNAVAILABLE', `Agent ${tokenId} could not be read.`, { cause })
  }
}
