import { isRecord } from '@svc/runtime'
import { fetchJson, type JsonRequest } from '../fetch-json.ts'
import { readReceipt } from './read-receipt.ts'

/**
 * One HTTP exchange with a JSON-RPC endpoint: a single call as an object, several as a batch. Answers are matched by id.
 * The time limit covers the whole body, redirects are refused, and no more of the answer is read than what was asked for can fill. What is
 * not asked for is not looked at: an endpoint cannot make work by telling much.
 *
 * @returns the answer of each call by id, `batch refused` when the endpoint answered a batch as a whole, or
 *   `batch too long` when the answers to several calls were cut off.
 * @throws EndpointError
 */
export async function postJsonRpc(
  options: Pick<JsonRequest, 'url' | 'headers' | 'fetch' | 'timeoutMs' | 'bodyTimeoutMs' | 'signal'>,
  calls: readonly RpcCall[],
): Promise<ReadonlyMap<number, RpcAnswer> | 'batch refused' | 'batch too long'> {
  const limits = limitsOf(calls)
  const said = await fetchJson({ ...options, ...limits }, JSON.stringify(calls.length === 1 ? calls[0] : calls))
  const isReceipt = calls.length === 1 && calls.every(asksReceipt)
  if ('failed' in said && said.failed.startsWith('too ') && calls.some(asksReceipt)) {
    if (!isReceipt) return 'batch too long'
    throw new EndpointError('unreadable', 'the receipt is too long to be read', said.cause)
  }
  if ('failed' in said && said.failed === 'too long' && calls.length > 1) return 'batch too long'
  if ('failed' in said) throw failures[said.failed]({ ...options, ...limits }, said.cause)
  const { status, type, body } = said
  if (calls.length > 1 && !Array.isArray(body)) {
    if (refusesBatch(status, body)) return 'batch refused'
    throw statusError(status === 200 && isAnswer(body) ? 429 : status, type)
  }
  const reported: unknown[] = Array.isArray(body) ? body : [body]
  if (reported.length > calls.length) throw statusError(status, type)
  if (!reported.every(isAnswer)) {
    if (isReceipt && status === 200) throw new EndpointError('unreadable', 'the receipt is malformed')
    throw statusError(status, type)
  }
  const byId = new Map<unknown, RpcAnswer>(reported.map(({ id, result, error }) => [id ?? null, { id, result, error }]))
  return new Map(calls.map(({ id }) => [id, answerTo(id, byId, calls.length)]))
}

export type RpcCall = {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: unknown
}
export type RpcAnswer = {
  readonly id?: number | string | null | undefined
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null | undefined
}

/**
 * `limited` is a no to haste (429), `refused` any other no, `broken` an answer that is not JSON-RPC, or none to what was asked, and
 * `unreadable` one to a call for one receipt that is malformed or longer than any gas pays for.
 */
export type EndpointFailure =
  | 'timeout'
  | 'unreachable'
  | 'broken'
  | 'unreadable'
  | 'limited'
  | 'refused'
  | 'other-chain'
  | 'stale'

/** Looked at by hand: a write has dozens of them, and a schema takes longer for one than the parser. */
function isAnswer(reported: unknown): reported is RpcAnswer {
  if (!isRecord(reported)) return false
  const { id, error } = reported
  if (id != null && typeof id !== 'string' && !Number.isFinite(id)) return false
  if (error == null) return 'result' in reported
  return isRecord(error) && Number.isFinite(error['code']) && typeof error['message'] === 'string'
}

/** JSON-RPC codes that say "too much": the standard's, one provider's own, and the status as a code. */
export const limitCodes: ReadonlySet<number> = new Set([-32005, -32007, 429])

const mebibyte = 1024 * 1024
const mostBytes = 16 * mebibyte
/** Of one receipt, which is read as it comes in. */
const mostReceiptBytes = 64 * mebibyte
/** Logs of the shortest kind in as many bytes hold fewer. */
const mostValues = 500_000

/**
 * Of blocks, receipts, logs and what nodes play they tell lists; a call answers with one text, which may be long; the rest is short. A receipt
 * that is long, too, is asked for again alone.
 */
function limitsOf(calls: readonly RpcCall[]): Pick<JsonRequest, 'mostBytes' | 'mostValues' | 'read'> {
  if (calls.length === 1 && calls.every(asksReceipt))
    return { mostBytes: mostReceiptBytes, mostValues, read: readReceipt }
  const isLong = (call: RpcCall) => call.method === 'eth_call' || (tellsLists.test(call.method) && !asksReceipt(call))
  return {
    mostBytes: calls.some(isLong) ? mostBytes : Math.min(mostBytes, calls.length * mebibyte),
    mostValues: calls.some(({ method }) => tellsLists.test(method)) ? mostValues : calls.length * 1_000,
  }
}

export function asksReceipt({ method }: Pick<RpcCall, 'method'>): boolean {
  return method === 'eth_getTransactionReceipt'
}

const tellsLists = /^(eth_(getLogs|getBlock|getTransaction|simulateV1|createAccessList|feeHistory)|debug_|trace_)/

const failures = {
  timeout: ({ timeoutMs }: Limits) => new EndpointError('timeout', `no answer within ${timeoutMs} ms`),
  unreachable: (_: Limits, cause: unknown) => new EndpointError('unreachable', 'the connection failed', cause),
  'too long': (limits: Limits) =>
    new EndpointError('refused', `the answer is larger than ${limits.mostBytes / mebibyte} MiB`),
  'too many values': () => new EndpointError('broken', 'the answer holds more values than were asked for'),
}

type Limits = { readonly timeoutMs: number; readonly mostBytes: number }

/** An error without an id answers a lone call; anything else must bear the id of the call. */
function answerTo(id: number, byId: ReadonlyMap<unknown, RpcAnswer>, count: number): RpcAnswer {
  const answer = byId.get(id) ?? (count === 1 ? byId.get(null) : undefined)
  if (answer === undefined || (answer.id !== id && !answer.error)) {
    throw new EndpointError('broken', 'an answer is missing')
  }
  if (holdsLongNumber(answer.result)) throw new EndpointError('broken', 'a number is longer than any of a chain')
  return answer
}

/** Statuses and codes with which endpoints answer batches that are too long, or batches at all; not those for haste. */
function refusesBatch(status: number, body: unknown): boolean {
  if ([400, 405, 413, 415, 422].includes(status)) return true
  return status === 200 && isAnswer(body) && body.error != null && !limitCodes.has(body.error.code)
}

/** Of the body it tells the type alone: what endpoints write there may hold the URL, and with it the key. */
function statusError(status: number, type: string): EndpointError {
  const said = `status ${status} (${type.slice(0, 60)})`
  if (status === 429) return new EndpointError('limited', said)
  return new EndpointError(status >= 400 && status < 500 && status !== 404 ? 'refused' : 'broken', said)
}

/**
 * Whether what an endpoint tells holds a decimal number of more digits than a word of a chain has (78). Quantities are hexadecimal, but
 * what reads them takes decimals too, and of a text of millions of digits that takes many seconds.
 */
export function holdsLongNumber(reported: unknown): boolean {
  const left = [reported]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') {
      if (longNumber.test(value)) return true
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) left.push(member)
    }
  }
  return false
}

const longNumber = /^\s*[+-]?\d{79}/

/** Why one endpoint gave no JSON-RPC answer that can be used. Its message holds what the endpoint or the network said: never sent to a caller. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  readonly reason: EndpointFailure

  constructor(reason: EndpointFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
