import { BaseError, type Client, createClient, http, type HttpTransport, RpcRequestError } from 'viem'
import { urlCredentials } from '../service-urls.ts'
import { abortable } from '../with-deadline.ts'
import { shown } from './revert-reason.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'

/** A way to a bundler or a paymaster: nothing is asked twice by itself. */
export function openBundler(url: string, requestTimeoutMs: number, signal?: AbortSignal): Bundler {
  const { until } = abortable(signal)
  const client: Client = createClient({ transport: serviceTransport(url, requestTimeoutMs) })
  return {
    url,
    requestTimeoutMs,
    // The methods are the bundler's own; viem's types know those of a node.
    request: (method, params) =>
      until(async () => await client.request({ method: method as never, params: params as never })),
  }
}

export type Bundler = {
  readonly url: string
  readonly requestTimeoutMs: number
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** Asks that URL and no other, and reads no more of an answer than any of theirs needs. */
export function serviceTransport(service: string, requestTimeoutMs: number): HttpTransport {
  const { url, headers } = urlCredentials(service)
  return http(url, {
    retryCount: 0,
    timeout: requestTimeoutMs,
    fetchOptions: { redirect: 'error', headers },
    maxResponseBodySize: mostAnswerBytes,
  })
}

const mostAnswerBytes = 1_048_576

/** What the other side answered as an error, or `null` when it did not answer. */
export function answeredError(error: unknown): { readonly code: number; readonly message: string } | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((cause) => cause instanceof RpcRequestError)
  return found instanceof RpcRequestError ? { code: found.code, message: found.details } : null
}

/**
 * Offers a signed operation to the bundler once, as it is. Never rejects. What a bundler says proves nothing about the
 * chain: also one that declines may have passed the operation on.
 */
export async function offerUserOperation(bundler: Bundler, signed: SignedUserOperation): Promise<Offer> {
  try {
    await bundler.request('eth_sendUserOperation', [signed.operation, signed.entryPoint])
    return { answer: 'taken', reason: null }
  } catch (error) {
    const answered = answeredError(error)
    if (answered === null) return { answer: 'unknown', reason: null }
    if (/already ?known|already in (the )?mempool|duplicate/i.test(answered.message)) {
      return { answer: 'taken', reason: null }
    }
    return { answer: 'declined', reason: shown(answered.message) }
  }
}

/** What a bundler said to an offer. */
export type Offer = {
  readonly answer: 'taken' | 'declined' | 'unknown'
  /** The bundler's own words. */
  readonly reason: string | null
}
