import { BaseError } from 'viem'
import { endpointFailure } from '../endpoint-failure.ts'
import { toCause, WalletError, type WalletErrorCode } from '../wallet-error.ts'

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

  /** What `JSON.stringify` writes: the message too, and neither stack nor cause. */
  toJSON(): { readonly name: string; readonly code: number; readonly message: string; readonly data: unknown } {
    const { name, code, message, data } = this
    return { name, code, message, data }
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

/** Whatever failed, with an integer code. Only sentences of ours and the node's own answer reach the caller. */
export function toProviderError(error: unknown): ProviderRpcError {
  if (error instanceof ProviderRpcError) return error
  if (error instanceof WalletError) {
    const code = byWalletCode.get(error.code) ?? rpcCodes.internal
    return new ProviderRpcError(code, error.message, { cause: error, data: { code: error.code, ...error.details } })
  }
  const answered = nodeAnswer(error)
  if (answered !== null) {
    // A client may take -32000 for a reason to send again under another method; -32003 says the same and ends it.
    const code = answered.code === -32000 ? rpcCodes.transactionRejected : answered.code
    return new ProviderRpcError(code, nodeWords(error), { cause: error, data: answered.data })
  }
  if (error instanceof BaseError) {
    return toProviderError(endpointFailure('The endpoint of the chain does not answer.', error))
  }
  return new ProviderRpcError(rpcCodes.internal, 'The request could not be carried out.', { cause: error })
}

const byWalletCode: ReadonlyMap<WalletErrorCode, number> = new Map([
  ['SIGNER_REFUSED', rpcCodes.userRejected],
  ['SIGNER_UNAUTHORIZED', rpcCodes.unauthorized],
  ['SIGNER_UNAVAILABLE', rpcCodes.disconnected],
  ['SIGNER_RATE_LIMITED', rpcCodes.limitExceeded],
  ['SIGNING_UNSUPPORTED', rpcCodes.unsupportedMethod],
  ['RPC_UNAVAILABLE', rpcCodes.disconnected],
  ['RPC_CHAIN_MISMATCH', rpcCodes.chainDisconnected],
  ['CALL_REVERTS', 3],
  ['USER_OPERATION_REVERTED', 3],
  ['PAYMASTER_REFUSED', rpcCodes.transactionRejected],
  ['BUNDLER_UNAVAILABLE', rpcCodes.disconnected],
  ['DELEGATION_NOT_ALLOWED', rpcCodes.upgradeRejected],
  ['GAS_ABOVE_LIMIT', rpcCodes.transactionRejected],
  ['INSUFFICIENT_FUNDS', rpcCodes.transactionRejected],
  ['NONCE_CONTENDED', rpcCodes.transactionRejected],
  ['VALIDATION_CONFIG_INVALID', rpcCodes.invalidParams],
  ['SIGNING_INPUT_INVALID', rpcCodes.invalidParams],
])

/** The outermost error that is a JSON-RPC answer: the node spoke, and its words are passed on. */
function nodeAnswer(error: unknown): { readonly code: number; readonly data: unknown } | null {
  if (!(error instanceof BaseError)) return null
  const answer = error.walk((inner) => isAnswer(inner))
  return isAnswer(answer) ? { code: answer.code, data: 'data' in answer ? answer.data : undefined } : null
}

/** Viem's own message quotes the endpoint's URL and the request; `details`, on each error of a chain, is what the node said. */
function nodeWords(error: unknown): string {
  const cause = toCause(error)
  const words: unknown = cause instanceof Error && 'details' in cause ? cause.details : ''
  return typeof words === 'string' && words !== '' ? words : 'The endpoint refuses the request.'
}

function isAnswer(error: unknown): error is Error & { readonly code: number } {
  const isPlain = error instanceof Error && !(error instanceof BaseError)
  const isRequestError = error instanceof BaseError && error.name === 'RpcRequestError'
  return (isPlain || isRequestError) && 'code' in error && Number.isInteger(error.code)
}
