import { isAddressEqual, numberToHex, recoverTypedDataAddress, type SignedAuthorization } from 'viem'
import {
  entryPoint08Address,
  formatUserOperationRequest,
  getUserOperationHash,
  getUserOperationTypedData,
  type UserOperation,
} from 'viem/account-abstraction'
import { recoverAuthorizationAddress } from 'viem/utils'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { WalletError } from '../wallet-error.ts'
import { chooseDelegation, type Delegation } from './choose-delegation.ts'
import type { OperationCall, OperationContext } from './operation-context.ts'
import { prepareUserOperation } from './prepare-user-operation.ts'
import { requireSponsorship } from './require-sponsorship.ts'
import type { SignedUserOperation, WireUserOperation } from './signed-user-operation.ts'

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
      throw new WalletError('RPC_UNAVAILABLE', 'The endpoint does not answer.', { cause })
    },
  )
  if (chainId !== chain.id) {
    throw new WalletError('RPC_CHAIN_MISMATCH', `The endpoint serves chain ${chainId}, not ${chain.id}.`)
  }
  const delegation = await chooseDelegation(client, owner, context.allowDelegationTo)
  const prepared = await prepareUserOperation(context, calls, delegation)
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
  if (!isWanted) throw new WalletError('SIGNER_UNAVAILABLE', 'The backend signed another authorization.')
  requireOwn(owner, await recoverAuthorizationAddress({ authorization: signed }))
  return signed
}

function requireOwn(owner: OperationContext['owner'], signedBy: OperationContext['owner']): void {
  if (isAddressEqual(owner, signedBy)) return
  throw new WalletError('WALLET_ADDRESS_MISMATCH', `The backend signs for ${signedBy}, not for ${owner}.`)
}

function wireOf(operation: UserOperation<'0.8'>): WireUserOperation {
  const { sender, nonce, callData, ...rest } = formatUserOperationRequest(operation)
  return { ...rest, sender, nonce, callData }
}
