import {
  BaseError,
  type Client,
  createClient,
  http,
  type HttpTransport,
  RpcRequestError,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem'
import { urlCredentials, sponsorUrls } from '../service-urls.ts'
import { abortable } from '../with-deadline.ts'
import { shown } from './revert-reason.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'
import type { ChainFacts, OpenChain } from '../chain.ts'
import { missingField } from '../wallet-error.ts'
import type { Signer } from '../signer.ts'

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

/**
 * Puts together what one user operation needs, without asking bundler or paymaster. Throws `VALIDATION_CONFIG_INVALID`
 * where either has no URL.
 */
export async function openOperation(
  wallet: OperatingWallet,
  open: OpenChain,
  options: OperationOptions,
): Promise<OperationContext> {
  const { env = process.env, requestTimeoutMs = 10_000, signal, onProgress } = options
  const urls = sponsorUrls(open.chain.id, options, env)
  if (urls.bundlerUrl === null) throw missingField('bundlerUrl', `a URL, here or in SVC_BUNDLER_URL_${open.chain.id}`)
  if (urls.paymasterUrl === null)
    throw missingField('paymaster', `a URL, here or in SVC_PAYMASTER_URL_${open.chain.id}`)
  const { paymasterContext: context, allowDelegationTo, timeoutMs = 60_000, resendAfterMs = 10_000 } = options
  return {
    ...open,
    signer: wallet,
    owner: await wallet.getAddress(),
    bundler: openBundler(urls.bundlerUrl, requestTimeoutMs),
    paymaster: { bundler: openBundler(urls.paymasterUrl, requestTimeoutMs), ...(context && { context }) },
    ...(allowDelegationTo && { allowDelegationTo }),
    timeoutMs,
    resendAfterMs,
    ...(signal && { signal }),
    onStep: (step, details) => onProgress?.({ step, details }),
  }
}

/** What of a wallet a user operation needs. */
export type OperatingWallet = Pick<Signer, 'getAddress' | 'signTypedData' | 'signAuthorization'> & {
  readonly chainId: number | null
  readonly rpcUrls: Readonly<Record<number, string>>
}

/** Who pays, and how long is waited. */
type OperationOptions = {
  readonly paymasterUrl?: string | undefined
  readonly paymasterContext?: Readonly<Record<string, unknown>> | undefined
  readonly bundlerUrl?: string | undefined
  readonly allowDelegationTo?: Address | undefined
  readonly timeoutMs?: number | undefined
  readonly resendAfterMs?: number | undefined
  readonly requestTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly onProgress?: ((event: UserOperationProgress) => void) | undefined
}

/** What a command line can print while it waits. */
export type UserOperationProgress = {
  readonly step: OperationStep
  readonly details: Readonly<Record<string, unknown>>
}

/** What the steps of one user operation share. */
export type OperationContext = {
  readonly signer: Pick<Signer, 'signTypedData' | 'signAuthorization'>
  readonly owner: Address
  readonly chain: ChainFacts
  readonly client: PublicClient
  readonly bundler: Bundler
  readonly paymaster: { readonly bundler: Bundler; readonly context?: Readonly<Record<string, unknown>> }
  /** Agrees to delegate the account to this implementation alone. */
  readonly allowDelegationTo?: Address | undefined
  /** Units of gas that the calls get, where the caller has simulated them; else what the bundler estimates. */
  readonly callGasLimit?: bigint | undefined
  /** How long the operation is waited for before it counts as pending. */
  readonly timeoutMs: number
  /** It is offered again after this long. */
  readonly resendAfterMs: number
  readonly signal?: AbortSignal | undefined
  readonly onStep: (step: OperationStep, details: Readonly<Record<string, unknown>>) => void
}

/** What a user operation is about to do. */
export type OperationStep = 'delegate' | 'sign' | 'send' | 'confirm'

/** One call that an operation makes through the account; `valueWei` is sent along. */
export type OperationCall = { readonly target: Address; readonly data: Hex; readonly valueWei?: bigint }
