import {
  BaseError,
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  ExecutionRevertedError,
  parseAbi,
  type Hex,
  type PublicClient,
} from 'viem'
import {
  entryPoint08Abi,
  entryPoint08Address,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { WalletError } from '../wallet-error.ts'
import { revertDataIn, revertReason } from './revert-reason.ts'

/**
 * Asks the paymaster's contract what the entry point will ask it, before anything is signed: does it pay for this
 * operation, and until when. Gives Unix seconds, 0 without an end. Throws `PAYMASTER_REFUSED` or `RPC_UNAVAILABLE`.
 */
export async function requireSponsorship(
  client: PublicClient,
  operation: UserOperation<'0.8'>,
  userOperationHash: Hex,
): Promise<number> {
  const { paymaster, sender, authorization } = operation
  if (paymaster === undefined) throw refused('names no contract that pays')
  const worstWei = gasOf(operation) * operation.maxFeePerGas
  const data = encodeFunctionData({
    abi,
    functionName: 'validatePaymasterUserOp',
    args: [toPackedUserOperation({ ...operation, signature: '0x' }), userOperationHash, worstWei],
  })
  const code = authorization && concat(['0xef0100', authorization.address])
  const [answer, depositWei, head] = await Promise.all([
    client.call({
      account: entryPoint08Address,
      to: paymaster,
      data,
      ...(code && { stateOverride: [{ address: sender, code }] }),
    }),
    client.readContract({
      address: entryPoint08Address,
      abi: entryPoint08Abi,
      functionName: 'balanceOf',
      args: [paymaster],
    }),
    client.getBlock({ blockTag: 'latest' }),
  ]).catch((cause: unknown) => {
    const isRevert = cause instanceof BaseError && cause.walk((each) => each instanceof ExecutionRevertedError) !== null
    if (!isRevert) throw new WalletError('RPC_UNAVAILABLE', 'The endpoint does not run the paymaster.', { cause })
    throw refused(`reverts: ${revertReason(revertDataIn(cause) ?? '0x') ?? 'without a word'}`, cause)
  })
  if (answer.data === undefined) throw refused('is no contract')
  if (depositWei < worstWei) throw refused('has too little left at the entry point')
  const [, said] = decodeFunctionResult({ abi, functionName: 'validatePaymasterUserOp', data: answer.data })
  return validUntilOf(said, head.timestamp)
}

// ERC-4337, "validationData": 20 bytes of authorizer (1: the signature is wrong), 6 of validUntil, 6 of validAfter.
function validUntilOf(validationData: bigint, headTime: bigint): number {
  const authorizer = validationData & ((1n << 160n) - 1n)
  const validUntil = (validationData >> 160n) & ((1n << 48n) - 1n)
  const validAfter = validationData >> 208n
  if (authorizer !== 0n) throw refused('does not know its own signature')
  if (validUntil !== 0n && validUntil <= headTime) throw refused('signed for a time that is over')
  if (validAfter > headTime + mostAheadSeconds) throw refused('signed for a time that is to come')
  return Number(validUntil)
}

/** A chain's newest block may be older than the paymaster's clock. */
const mostAheadSeconds = 60n

function gasOf(operation: UserOperation<'0.8'>): bigint {
  const { preVerificationGas, verificationGasLimit, callGasLimit } = operation
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = operation
  return (
    preVerificationGas + verificationGasLimit + callGasLimit + paymasterVerificationGasLimit + paymasterPostOpGasLimit
  )
}

function refused(why: string, cause?: unknown): WalletError {
  const message = `The paymaster ${why}; nothing was signed.`
  return new WalletError('PAYMASTER_REFUSED', message, cause === undefined ? {} : { cause })
}

const abi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
])
