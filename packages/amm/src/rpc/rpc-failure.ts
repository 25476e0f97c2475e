import { BaseError, RpcRequestError } from 'viem'
import { type ErrorCode, ToolError } from '../tool-error.ts'
import { isTransaction } from './json-rpc-endpoint.ts'
import { EndpointError, type EndpointFailure, limitCodes } from './post-json-rpc.ts'

/**
 * The one place where failures of an endpoint become codes. `null` for what is an answer rather than a failure: a revert,
 * a refused transaction; those stay viem's errors for the caller to read. What the endpoint said goes to `cause` only.
 */
export function rpcFailure(error: unknown, method: string, chainId: number): ToolError | null {
  const code = failureCode(error, method)
  if (code === null) return null
  const message = `${method} failed on chain ${chainId}.`
  const accepted = `an endpoint in SVC_RPC_URL_${chainId} that answers it`
  return new ToolError(code, sentences[code], { details: [{ field: 'chain', message, accepted }], cause: error })
}

/** Whether the same request may well succeed a moment later at the same endpoint. */
export function passesSoon(error: unknown): boolean {
  const endpointError = find(error, EndpointError)
  if (endpointError !== null) return ['unreachable', 'broken', 'limited'].includes(endpointError.reason)
  const answer = find(error, RpcRequestError)
  return answer !== null && (lagging.test(answer.details) || answer.code === -32007 || answer.code === 429)
}

/** Whether the endpoint rather than the request is at fault. */
export function isEndpointFault(error: unknown): boolean {
  const endpointError = find(error, EndpointError)
  return endpointError !== null && endpointError.reason !== 'refused' && endpointError.reason !== 'unreadable'
}

/**
 * Whether an endpoint that may answer everything else will not give this receipt, or gives what cannot be read: a definite answer, other
 * than none, one in time, or a no to haste.
 */
export function isReceiptUnreadable(error: unknown): boolean {
  const endpointError = find(error, EndpointError)
  if (endpointError !== null) return endpointError.reason === 'refused' || endpointError.reason === 'unreadable'
  const answer = find(error, RpcRequestError)
  return answer !== null && !limitCodes.has(answer.code) && !lagging.test(answer.details)
}

export type RpcCode = Extract<ErrorCode, `RPC_${string}`>

const codes: Record<EndpointFailure, RpcCode> = {
  timeout: 'RPC_TIMEOUT',
  unreachable: 'RPC_UNAVAILABLE',
  broken: 'RPC_UNAVAILABLE',
  unreadable: 'RPC_UNAVAILABLE',
  limited: 'RPC_REFUSED',
  refused: 'RPC_REFUSED',
  'other-chain': 'RPC_CHAIN_MISMATCH',
  stale: 'RPC_STALE',
}

const sentences: Record<RpcCode, string> = {
  RPC_TIMEOUT: 'The endpoint of the chain did not answer in time.',
  RPC_UNAVAILABLE:
    'The endpoint of the chain could not be reached, or answered with something else than was asked for.',
  RPC_REFUSED: 'The endpoint of the chain refused the request.',
  RPC_CHAIN_MISMATCH: 'The endpoint serves another chain than it is configured for.',
  RPC_STALE: 'The endpoint of the chain lags behind.',
}

function failureCode(error: unknown, method: string): RpcCode | null {
  const endpointError = find(error, EndpointError)
  if (endpointError !== null) return codes[endpointError.reason]
  const answer = find(error, RpcRequestError)
  if (answer === null) return error instanceof BaseError ? null : 'RPC_UNAVAILABLE'
  if (isTransaction(method)) return null
  if (lagging.test(answer.details)) return 'RPC_STALE'
  if (executes.test(method) && !refusals.has(answer.code)) return null
  return 'RPC_REFUSED'
}

/** Methods whose errors are mostly the contracts' own. */
const executes = /^eth_(call|estimateGas|createAccessList|simulateV1)$|^debug_/
/** Malformed or unknown request, unknown method, unsupported method, limits. */
const refusals: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32004, -32005, -32007, 429])
/** What nodes say about a block they have not seen yet, or whose state they no longer keep. */
const lagging =
  /header not found|unknown block|block not found|missing trie node|block.{0,3}out.?of.?range|after last accepted block|state.{0,40} not available/i

function find<Kind extends Error>(error: unknown, kind: abstract new (...args: never[]) => Kind): Kind | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof kind) return current
  }
  return null
}
