import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { BaseError, RpcRequestError } from 'viem'
import { ToolError } from '../tool-error.ts'
import { EndpointError, type EndpointFailure, limitCodes } from './post-json-rpc.ts'
import { isTransaction, type RpcRequest } from './json-rpc-endpoint.ts'
import type { ErrorCode } from '../errors.ts'

/** The endpoints of one chain, in the operator's order, with what is known about their health. */
export type EndpointRing = {
  /**
   * Asks the endpoints until one answers. A read goes to the next one when one fails, and once more round after a short
   * pause when that may help; a transaction goes to one endpoint, once. `raw`, its signed bytes, tells when the same is offered
   * again: for two minutes it goes where it would have gone first, and after that to each endpoint in turn, since one may take what it does not pass on.
   * An endpoint at fault goes last for half a minute. The chain id of an endpoint is checked with its first read, in the same batch, and before its first transaction.
   *
   * @throws ToolError `RPC_*` when none answered, or viem's error when the answer is one (a revert, a refusal of a transaction).
   */
  ask<Result>(method: string, act: (request: RpcRequest) => Promise<Result>, raw?: string): Promise<Result>
  /**
   * Asks one endpoint once for state of an older block: the first that has not lacked that of so old a block lately. One that lacks what is
   * a day old is asked for younger state all the same: what the operator named first is not replaced by the word of another.
   *
   * @throws as `ask` does.
   */
  askPast<Result>(method: string, act: (request: RpcRequest) => Promise<Result>, block: bigint | null): Promise<Result>
  /**
   * Asks every endpoint once and gives the answers of those that gave one.
   *
   * @throws ToolError `RPC_*` when none answered.
   */
  askEach<Result>(method: string, act: (request: RpcRequest) => Promise<Result>): Promise<readonly Result[]>
}

export function createEndpointRing(
  chainId: number,
  requests: readonly RpcRequest[],
  now: () => number,
  retryPauseMs = 250,
): EndpointRing {
  const endpoints = requests.map((request): Endpoint => ({ request, checked: null, benchedUntil: 0, lacks: null }))

  /** Healthy ones first; the sort keeps the operator's order among equals. */
  const inOrder = () => {
    const time = now()
    return endpoints.toSorted((a, b) => Number(a.benchedUntil > time) - Number(b.benchedUntil > time))
  }

  const offers = new Map<string, { readonly since: number; again: number }>()
  /** The one endpoint that a transaction goes to. */
  const takerOf = (raw: string | undefined) => {
    const ordered = inOrder()
    if (raw === undefined) return ordered.slice(0, 1)
    const offer = offers.get(raw) ?? { since: now(), again: 0 }
    // What was offered last is kept longest.
    offers.delete(raw)
    offers.set(raw, offer)
    for (const oldest of [...offers.keys()].slice(0, -mostOffers)) offers.delete(oldest)
    if (now() - offer.since < oneTakerMs || ordered.length === 0) return ordered.slice(0, 1)
    offer.again += 1
    const turn = offer.again % ordered.length
    return ordered.slice(turn, turn + 1)
  }

  async function attempt<Result>(endpoint: Endpoint, method: string, act: Act<Result>): Promise<Result> {
    try {
      if (isTransaction(method)) await checkOnce(endpoint, chainId)
      const [result] = await Promise.all([act(endpoint.request), checkOnce(endpoint, chainId)])
      endpoint.benchedUntil = 0
      return result
    } catch (error) {
      if (isEndpointFault(error)) endpoint.benchedUntil = now() + benchMs
      throw error
    }
  }

  return {
    async ask(method, act, raw) {
      const failures: ToolError[] = []
      const rounds = isTransaction(method) ? 1 : 2
      for (let round = 0, again = true; round < rounds && again; round += 1) {
        if (round > 0) await pause(retryPauseMs)
        again = false
        for (const endpoint of isTransaction(method) ? takerOf(raw) : inOrder()) {
          try {
            return await attempt(endpoint, method, act)
          } catch (error) {
            const failure = rpcFailure(error, method, chainId)
            if (failure === null) throw error
            failures.push(failure)
            again ||= passesSoon(error)
          }
        }
      }
      throw gravest(failures)
    },
    async askPast(method, act, block) {
      const time = now()
      const ordered = inOrder()
      const mayHave = ({ lacks }: Endpoint) =>
        lacks === null || lacks.until <= time || (block !== null && block > lacks.block)
      const endpoint = ordered.find(mayHave) ?? ordered[0]
      if (endpoint === undefined) throw gravest([])
      try {
        return await attempt(endpoint, method, act)
      } catch (error) {
        const failure = rpcFailure(error, method, chainId)
        // A contract that reverts has answered from the state that was asked for.
        if (failure === null) throw error
        const { lacks } = endpoint
        const youngest = lacks !== null && lacks.until > time && lacks.block > (block ?? 0n) ? lacks.block : block
        endpoint.lacks = { block: youngest ?? 0n, until: now() + pastlessMs }
        throw failure
      }
    },
    async askEach(method, act) {
      const failures: ToolError[] = []
      const asked = endpoints.map((endpoint) =>
        attempt(endpoint, method, act).then(
          (value) => [value],
          (error: unknown) => {
            const failure = rpcFailure(error, method, chainId)
            if (failure === null) throw error
            failures.push(failure)
            return []
          },
        ),
      )
      const answers = (await Promise.all(asked)).flat(1)
      if (answers.length === 0) throw gravest(failures)
      return answers
    },
  }
}

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

type Endpoint = {
  readonly request: RpcRequest
  checked: Promise<void> | null
  benchedUntil: number
  /** The youngest block whose state it lacked, and until when it is thought to lack that and what is older. */
  lacks: { readonly block: bigint; readonly until: number } | null
}
type Act<Result> = (request: RpcRequest) => Promise<Result>

const benchMs = 30_000
/** How long a transaction is offered to one endpoint alone. */
const oneTakerMs = 120_000
const mostOffers = 256
/** Milliseconds: what a node keeps changes with its configuration, not with the hour. */
const pastlessMs = 30 * 60_000
/** What the operator should hear of first. */
const byGravity: readonly string[] = [
  'RPC_CHAIN_MISMATCH',
  'RPC_STALE',
  'RPC_REFUSED',
  'RPC_TIMEOUT',
  'RPC_UNAVAILABLE',
] satisfies readonly RpcCode[]

function checkOnce(endpoint: Endpoint, chainId: number): Promise<void> {
  endpoint.checked ??= check(endpoint.request, chainId).catch((error: unknown) => {
    endpoint.checked = null
    throw error
  })
  return endpoint.checked
}

async function check(request: RpcRequest, chainId: number): Promise<void> {
  const answer = quantity.safeParse(await request({ method: 'eth_chainId' }))
  if (!answer.success) throw new EndpointError('broken', 'the chain id cannot be read')
  if (answer.data !== BigInt(chainId)) throw new EndpointError('other-chain', `answered chain id ${answer.data}`)
}

function gravest(failures: readonly ToolError[]): ToolError {
  const [first] = failures.toSorted((a, b) => byGravity.indexOf(a.code) - byGravity.indexOf(b.code))
  if (first !== undefined) return first
  const message = 'No endpoint is configured for this chain.'
  return new ToolError('RPC_UNAVAILABLE', message, {
    details: [{ field: 'chain', message, accepted: 'a chain that list_supported_chains shows as live' }],
  })
}

/** A JSON-RPC quantity as a bigint. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)

/** Whether the same request may well succeed a moment later at the same endpoint. */
function passesSoon(error: unknown): boolean {
  const endpointError = find(error, EndpointError)
  if (endpointError !== null) return ['unreachable', 'broken', 'limited'].includes(endpointError.reason)
  const answer = find(error, RpcRequestError)
  return answer !== null && (lagging.test(answer.details) || answer.code === -32007 || answer.code === 429)
}

/** Whether the endpoint rather than the request is at fault. */
function isEndpointFault(error: unknown): boolean {
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

type RpcCode = Extract<ErrorCode, `RPC_${string}`>

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
