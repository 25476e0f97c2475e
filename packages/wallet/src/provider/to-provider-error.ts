import { BaseError } from 'viem'
import { toCause } from '../to-cause.ts'
import { WalletError, type WalletErrorCode } from '../wallet-error.ts'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'

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
    return new ProviderRpcError(rpcCodes.disconnected, 'The endpoint of the chain does not answer.', { cause: error })
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
