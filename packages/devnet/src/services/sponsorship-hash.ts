import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, slice } from 'viem'
import { toPackedUserOperation, type UserOperation } from 'viem/account-abstraction'
import type { Devnet } from '../devnet.ts'

/**
 * The hash that the paymaster's `getHash` gives once the sender is delegated: of an EIP-7702 init code the delegate alone
 * counts. The operation must carry its paymaster and all gas limits.
 */
export function sponsorshipHash(
  operation: UserOperation<'0.8'>,
  { chainId, paymaster }: Pick<Devnet, 'chainId' | 'paymaster'>,
  validUntil: number,
  validAfter = 0,
): Hex {
  const packed = toPackedUserOperation(operation, { forHash: true })
  return keccak256(
    encodeAbiParameters(hashedParameters, [
      BigInt(chainId),
      paymaster,
      validUntil,
      validAfter,
      operation.sender,
      operation.nonce,
      keccak256(packed.initCode),
      keccak256(operation.callData),
      packed.accountGasLimits,
      operation.preVerificationGas,
      packed.gasFees,
      slice(packed.paymasterAndData, 20, 52),
    ]),
  )
}

const hashedParameters = parseAbiParameters(
  'uint256, address, uint48, uint48, address, uint256, bytes32, bytes32, bytes32, uint256, bytes32, bytes32',
)
