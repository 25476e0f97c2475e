import { isAddress, isHex, size, type Address, type Hex } from 'viem'
import { WalletError } from '../wallet-error.ts'

/**
 * A user operation with its signature, as plain data: what a bundler takes, and what must be known to tell later what
 * became of it. To be kept before it is offered to anybody.
 */
export type SignedUserOperation = {
  readonly chainId: number
  readonly entryPoint: Address
  /** By EIP-712, as EntryPoint 0.8 counts it. */
  readonly userOperationHash: Hex
  /** In the wire form of ERC-7769, offered as it is. */
  readonly operation: WireUserOperation
  /** It cannot have been mined before this block. */
  readonly fromBlock: Hex
  /** Unix seconds after which the paymaster said it no longer pays; 0 without an end. It proves nothing of the end. */
  readonly validUntil: number
}

/** What of an operation is read here; the other members are the bundler's. */
export type WireUserOperation = Readonly<Record<string, unknown>> & {
  readonly sender: Address
  readonly nonce: Hex
  readonly callData: Hex
}

/** Where the one operation of a call is kept. */
export type UserOperationRecord = {
  load(): Promise<SignedUserOperation | null>
  /**
   * Durable when it resolves. `null` once the operation is proved to be never executed. Rejects with `REQUEST_CONFLICT`,
   * and keeps what it has, for an operation while another one is kept.
   */
  save(operation: SignedUserOperation | null): Promise<void>
}

/** Reads an operation that was kept as JSON. Throws `JOURNAL_UNREADABLE`. */
export function readSignedUserOperation(value: Readonly<Record<string, unknown>>): SignedUserOperation {
  const { chainId, entryPoint, userOperationHash, operation, fromBlock, validUntil } = value
  if (
    typeof chainId === 'number' &&
    typeof validUntil === 'number' &&
    isAnyAddress(entryPoint) &&
    isHex(userOperationHash) &&
    size(userOperationHash) === 32 &&
    isHex(fromBlock) &&
    isWire(operation)
  ) {
    return { chainId, entryPoint, userOperationHash, operation, fromBlock, validUntil }
  }
  throw new WalletError('JOURNAL_UNREADABLE', 'The record holds something that is no signed user operation.', {
    details: { path: null },
  })
}

function isWire(value: unknown): value is WireUserOperation {
  if (typeof value !== 'object' || value === null) return false
  const { sender, nonce, callData }: Partial<Record<string, unknown>> = { ...value }
  return isAnyAddress(sender) && isHex(nonce) && isHex(callData)
}

function isAnyAddress(value: unknown): value is Address {
  return typeof value === 'string' && isAddress(value, { strict: false })
}
