import {
  BaseError,
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  ExecutionRevertedError,
  type Hex,
  isAddressEqual,
  numberToHex,
  parseAbi,
  type PublicClient,
  recoverTypedDataAddress,
  type SignedAuthorization,
} from 'viem'
import {
  entryPoint08Abi,
  entryPoint08Address,
  formatUserOperationRequest,
  getUserOperationHash,
  getUserOperationTypedData,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { recoverAuthorizationAddress } from 'viem/utils'
import { WalletError } from '../wallet-error.ts'
import { abortable, throwIfAborted } from '../with-deadline.ts'
import { chooseDelegation, type Delegation } from './choose-delegation.ts'
import type { OperationCall, OperationContext } from './open-bundler.ts'
import { prepareUserOperation } from './prepare-user-operation.ts'
import { revertDataIn, revertReason } from './revert-reason.ts'
import type { SignedUserOperation, WireUserOperation } from './signed-user-operation.ts'
import { endpointFailure, requireChain } from '../endpoint-failure.ts'

/**
 * Signs calls as one sponsored user operation, after bundler, paymaster and the paymaster's contract agreed to it. It is
 * offered to nobody: whoever calls this keeps it first. Throws what those refuse with, and what the signer throws.
 */
export async function signUserOperation(
  context: OperationContext,
  calls: readonly OperationCall[],
): Promise<SignedUserOperation> {
  const { client, owner, chain, signal, onStep } = context
  const [head, chainId] = await Promise.all([client.getBlockNumber({ cacheTime: 0 }), client.getChainId()]).catch(
    (cause: unknown) => {
      throw endpointFailure('The endpoint does not answer.', cause)
    },
  )
  requireChain(chain.id, chainId, client)
  const delegation = await chooseDelegation(client, owner, context.allowDelegationTo)
  const prepared = await abortable(signal).until(() => prepareUserOperation(context, calls, delegation))
  const place = { chainId: chain.id, entryPointAddress: entryPoint08Address }
  const userOperationHash = getUserOperationHash({ ...place, entryPointVersion: '0.8', userOperation: prepared })
  const validUntil = await requireSponsorship(client, prepared, userOperationHash)
  throwIfAborted(signal)
  const authorization = await authorize(context, delegation)
  onStep('sign', { userOperationHash })
  const typedData = getUserOperationTypedData({ ...place, userOperation: prepared })
  const signature = await context.signer.signTypedData(typedData, signal && { signal })
  requireOwn(owner, await recoverTypedDataAddress({ ...typedData, signature }))
  const signed: UserOperation<'0.8'> = { ...prepared, signature, ...(authorization && { authorization }) }
  return {
    chainId: chain.id,
    entryPoint: entryPoint08Address,
    userOperationHash,
    operation: wireOf(signed),
    fromBlock: numberToHex(head > reorgBlocks ? head - reorgBlocks : 0n),
    validUntil,
  }
}

/** A block that holds the operation may take the place of a block that was there when it was signed. */
const reorgBlocks = 64n

/** `null` for an account that is delegated already. The delegation is announced before it is signed. */
async function authorize(
  { signer, owner, chain, signal, onStep }: OperationContext,
  { implementation, nonce }: Delegation,
): Promise<SignedAuthorization | null> {
  if (nonce === null) return null
  onStep('delegate', { address: owner, implementation })
  const wanted = { contractAddress: implementation, chainId: chain.id, nonce }
  const signed = await signer.signAuthorization(wanted, signal && { signal })
  const isWanted =
    isAddressEqual(signed.address, implementation) && signed.chainId === chain.id && signed.nonce === nonce
  if (!isWanted)
    throw new WalletError('SIGNER_UNAVAILABLE', 'The backend signed another authorization.', {
      details: { what: 'authorization' },
    })
  requireOwn(owner, await recoverAuthorizationAddress({ authorization: signed }))
  return signed
}

function requireOwn(owner: OperationContext['owner'], signedBy: OperationContext['owner']): void {
  if (isAddressEqual(owner, signedBy)) return
  throw new WalletError('WALLET_ADDRESS_MISMATCH', `The backend signs for ${signedBy}, not for ${owner}.`, {
    details: { expected: owner, actual: signedBy },
  })
}

function wireOf(operation: UserOperation<'0.8'>): WireUserOperation {
  const { sender, nonce, callData, ...rest } = formatUserOperationRequest(operation)
  return { ...rest, sender, nonce, callData }
}

/**
 * Asks the paymaster's contract what the entry point will ask it, before anything is signed: does it pay for this
 * operation, and until when. Gives Unix seconds, 0 without an end. Throws `PAYMASTER_REFUSED` or `RPC_UNAVAILABLE`.
 */
async function requireSponsorship(
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
    if (!isRevert) throw endpointFailure('The endpoint does not run the paymaster.', cause)
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
  return new WalletError('PAYMASTER_REFUSED', message, { details: { why }, ...(cause !== undefined && { cause }) })
}

const abi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
])
