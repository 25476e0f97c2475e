import { toCause } from '../to-cause.ts'

/**
 * An error as EIP-1193 wants it: with an integer `code` (EIP-1193, EIP-1474, or the node's own) and, where there is more
 * to say, `data`.
 */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, options: { readonly data?: unknown; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: toCause(options.cause) })
    this.code = code
    this.data = options.data
  }
}

/** EIP-1193 "Provider errors", EIP-1474 "Error codes", 4902 of EIP-3085, and "Error Codes" of EIP-5792. */
export const rpcCodes = {
  userRejected: 4001,
  unauthorized: 4100,
  unsupportedMethod: 4200,
  disconnected: 4900,
  chainDisconnected: 4901,
  unknownChain: 4902,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  transactionRejected: -32003,
  limitExceeded: -32005,
  unsupportedCapability: 5700,
  unsupportedChain: 5710,
  duplicateId: 5720,
  unknownId: 5730,
  tooManyCalls: 5740,
  upgradeRejected: 5750,
  atomicityUnsupported: 5760,
} as const
