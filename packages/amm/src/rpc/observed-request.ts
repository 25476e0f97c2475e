import { isRecord } from '@svc/runtime'
import { RpcRequestError } from 'viem'
import type { RpcRequest } from './json-rpc-endpoint.ts'
import { EndpointError, type EndpointFailure } from './post-json-rpc.ts'

/** The same endpoint, of whose answers somebody hears; the endpoint itself where nobody does. */
export function observedRequest(
  request: RpcRequest,
  { chainId, place, isPrivate }: Pick<RpcAnswered, 'chainId' | 'place' | 'isPrivate'>,
  heard: RpcListener | undefined,
): RpcRequest {
  if (heard === undefined) return request
  return async (args, end) => {
    const startedAt = performance.now()
    const facts = { chainId, place, isPrivate, method: args.method }
    const result: unknown = await request(args, end).catch((error: unknown) => {
      const outcome = end?.signal?.aborted === true ? 'left' : outcomeOf(error)
      heard({ ...facts, outcome, ms: performance.now() - startedAt, headAtSeconds: null })
      throw error
    })
    heard({ ...facts, outcome: 'answered', ms: performance.now() - startedAt, headAtSeconds: headTime(args, result) })
    return result
  }
}

/** Hears of each answer of an endpoint, or that there was none. Must not throw. */
export type RpcListener = (answered: RpcAnswered) => void

export type RpcAnswered = {
  readonly chainId: number
  /** Of the endpoint in the operator's order, from 0. */
  readonly place: number
  /** Whether it is that to which trades go past the public pool. */
  readonly isPrivate: boolean
  readonly method: string
  /** `error` is an answer that says so (a revert among them), `left` that nobody waited for it any more. */
  readonly outcome: 'answered' | 'error' | 'left' | EndpointFailure
  readonly ms: number
  /** Time of the newest block, where the answer is that block. */
  readonly headAtSeconds: number | null
}

function outcomeOf(error: unknown): RpcAnswered['outcome'] {
  if (error instanceof EndpointError) return error.reason
  return error instanceof RpcRequestError ? 'error' : 'unreachable'
}

function headTime({ method, params }: Parameters<RpcRequest>[0], result: unknown): number | null {
  if (method !== 'eth_getBlockByNumber' || !Array.isArray(params) || params[0] !== 'latest') return null
  const timestamp = isRecord(result) ? result['timestamp'] : undefined
  return typeof timestamp === 'string' && /^0x[0-9a-f]{1,12}$/i.test(timestamp) ? Number(timestamp) : null
}
