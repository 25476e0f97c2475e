import { hexToNumber, isAddress, isHex } from 'viem'
import { formatUserOperation, type RpcUserOperation, type UserOperation } from 'viem/account-abstraction'
import { JsonRpcError } from '../chain/json-rpc-error.ts'

/**
 * A user operation as it stands on the wire of ERC-7769 (EntryPoint 0.7 and later, unpacked), with its EIP-7702
 * authorization when it has one. Throws -32602 when what no operation lacks is missing.
 */
export function readUserOperation(wire: unknown): UserOperation<'0.8'> {
  if (!isWireOperation(wire)) throw new JsonRpcError(-32_602, 'a user operation has sender, nonce and callData')
  const { eip7702Auth, ...rest } = wire
  const operation: UserOperation<'0.8'> = formatUserOperation(rest)
  if (!eip7702Auth) return operation
  const { address, chainId, nonce, r, s, yParity } = eip7702Auth
  return {
    ...operation,
    authorization: {
      address,
      chainId: hexToNumber(chainId),
      nonce: hexToNumber(nonce),
      r,
      s,
      yParity: hexToNumber(yParity),
    },
  }
}

function isWireOperation(wire: unknown): wire is RpcUserOperation<'0.8'> {
  if (typeof wire !== 'object' || wire === null) return false
  const { sender, nonce, callData }: Partial<Record<string, unknown>> = { ...wire }
  return typeof sender === 'string' && isAddress(sender, { strict: false }) && isHex(nonce) && isHex(callData)
}
