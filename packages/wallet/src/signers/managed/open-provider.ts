import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { PrivyClient } from '@privy-io/node'
import canonicalize from 'canonicalize'
import { Secret } from '../../secret.ts'
import type { SigningOptions } from '../../signer.ts'
import { WalletError, invalidField } from '../../wallet-error.ts'
import { throwIfAborted } from '../../with-deadline.ts'
import type { WireBody } from './to-wire.ts'

/**
 * The way to one wallet at the provider. The client is loaded with the first request. Every request carries an
 * idempotency key that follows from what it asks, so that asking again is one signature; a request that got no answer, or
 * a 5xx, is made once more, and the client's own retries are off. Throws the `SIGNER_*` codes.
 */
export function openProvider(config: ProviderConfig): Provider {
  const { appId, walletId, authorize, now } = config
  const appSecret = config.appSecret instanceof Secret ? config.appSecret.reveal() : config.appSecret
  const secrets = [appSecret, Buffer.from(`${appId}:${appSecret}`).toString('base64')]
  const { host } = new URL(config.apiUrl)
  let client: Promise<PrivyClient> | null = null
  const open = () => (client ??= load({ ...config, appSecret }))

  const attempt = async <T>(act: (client: PrivyClient) => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    const opened = await open().catch((cause: unknown) => {
      client = null
      throw new WalletError('SIGNER_UNAVAILABLE', 'The client of the wallet provider cannot be loaded.', { cause })
    })
    try {
      return await untilAborted(act(opened), signal)
    } catch (error) {
      if (!mayTryAgain(error)) throw providerFailure(error, secrets, host)
    }
    await wait(pauseMs)
    try {
      return await untilAborted(act(opened), signal)
    } catch (error) {
      throw providerFailure(error, secrets, host)
    }
  }

  return {
    wallet: async () => await attempt((opened) => opened.wallets().get(walletId), undefined),
    rpc: async (body, { idempotencyKey, signal } = {}) => {
      const key = keyOf({ asked: idempotencyKey ?? null, appId, walletId, body })
      return await attempt((opened) => {
        const request = {
          ...body,
          authorization_context: { sign_fns: [authorize] },
          idempotency_key: key,
          request_expiry: now() + validForMs,
        }
        return opened.wallets().rpc(walletId, asRpcInput(request))
      }, signal)
    },
  }
}

type ProviderConfig = {
  readonly appId: string
  readonly appSecret: string | Secret
  readonly walletId: string
  readonly authorize: AuthorizeRequest
  /** Without a slash at its end: the provider signs over the URL. */
  readonly apiUrl: string
  readonly fetch: typeof fetch | undefined
  readonly now: () => number
}

/** Answers as they came: who asks looks at what is in them. */
export type Provider = {
  readonly wallet: () => Promise<unknown>
  readonly rpc: (body: WireBody, options?: SigningOptions) => Promise<unknown>
}

const pauseMs = 200
const timeoutMs = 20_000
/** How long a request holds: whoever catches one cannot use it later. */
const validForMs = 5 * 60_000

async function load(config: ProviderConfig & { readonly appSecret: string }): Promise<PrivyClient> {
  const { appId, appSecret, apiUrl } = config
  const { PrivyClient: Client } = await import('@privy-io/node')
  return new Client({
    appId,
    appSecret,
    apiUrl,
    maxRetries: 0,
    timeout: timeoutMs,
    // Its log shows headers, and environment variables turn it on.
    logLevel: 'off',
    ...(config.fetch === undefined ? {} : { fetch: config.fetch }),
  })
}

function keyOf(asked: object): string {
  return createHash('sha256')
    .update(canonicalize(asked) ?? '')
    .digest('hex')
}

async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await answer
  if (signal.aborted) answer.catch(() => undefined)
  throwIfAborted(signal)
  return await new Promise((resolve, reject) => {
    const stop = () => reject(new WalletError('ABORTED', 'The caller gave up.', { cause: signal.reason }))
    signal.addEventListener('abort', stop, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

type RpcInput = Parameters<ReturnType<PrivyClient['wallets']>['rpc']>[1]

/** The client's types want literals of each chain's requests; ours are checked by what comes back. */
function asRpcInput(request: object): RpcInput {
  return request as RpcInput
}

/**
 * What a failed request to the wallet provider means. The cause keeps status and the provider's words, the secrets of the
 * configuration taken out, and nothing of the request.
 */
function providerFailure(error: unknown, secrets: readonly string[], host: string): WalletError {
  if (error instanceof WalletError) return error
  const { status, code, words, retryAfterSeconds } = factsOf(error)
  const cause = new Error(withoutSecrets(`${status ?? 'no answer'} ${code ?? ''} ${words}`, secrets))
  const details = { status, providerCode: code, host }
  if (status === null || status >= 500) {
    return new WalletError('SIGNER_UNAVAILABLE', `The wallet provider at ${host} does not answer.`, { cause, details })
  }
  if (code === 'policy_violation' || /policy/i.test(words)) {
    return new WalletError('SIGNER_REFUSED', "The wallet's policy at the provider refuses to sign this.", {
      cause,
      details,
    })
  }
  if (status === 429) {
    const message = 'The wallet provider asks for fewer requests.'
    return new WalletError('SIGNER_RATE_LIMITED', message, { cause, details: { ...details, retryAfterSeconds } })
  }
  const known = byStatus(status, code)
  if (known !== null) return new WalletError('SIGNER_UNAUTHORIZED', known.message, { ...known, cause, details })
  return new WalletError('SIGNER_REFUSED', `The wallet provider refuses the request (${status}).`, { cause, details })
}

/** Whether the same request, under the same idempotency key, may be tried once more: nobody has refused it. */
function mayTryAgain(error: unknown): boolean {
  if (error instanceof WalletError) return false
  const { status } = factsOf(error)
  return status === null || status >= 500
}

type Facts = {
  readonly status: number | null
  readonly code: string | null
  readonly words: string
  readonly retryAfterSeconds: number | null
}

/** Reads the client's errors by their shape, so that its module need not be loaded to know them. */
function factsOf(error: unknown): Facts {
  const fields = new Map<string, unknown>(
    typeof error === 'object' && error !== null
      ? ['status', 'error', 'headers', 'message'].map((name) => [name, Reflect.get(error, name)])
      : [],
  )
  const [status, body, headers] = [fields.get('status'), fields.get('error'), fields.get('headers')]
  const message = fields.get('message')
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : null
  const retryAfter = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN
  return {
    status: typeof status === 'number' ? status : null,
    code: typeof code === 'string' ? code.slice(0, 100) : null,
    words: typeof message === 'string' ? message.slice(0, 500) : '',
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  }
}

function byStatus(status: number, code: string | null): { message: string; suggestion?: string } | null {
  if (code === 'request_expired') {
    const suggestion = 'Set the clock of this machine: requests carry the time until which they hold.'
    return { message: 'The wallet provider says that the request has expired.', suggestion }
  }
  if (status === 401 || status === 403) return { message: 'The wallet provider does not accept the credentials.' }
  if (status !== 404) return null
  return { message: 'The wallet provider knows no such wallet in this app.', suggestion: 'Check walletId and appId.' }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[secret]')), text)
}

/**
 * Signs the payload of a request: ECDSA P-256 over SHA-256, DER, in base64. A key that a KMS or an HSM holds signs through
 * such a function and never enters the process.
 */
export type AuthorizeRequest = (payload: Uint8Array) => Promise<string>

/** Reads the authorization key: base64 of PKCS#8 DER, as the provider shows it. Throws `VALIDATION_CONFIG_INVALID`. */
export function toAuthorizeRequest(key: string | Secret | AuthorizeRequest): AuthorizeRequest {
  if (typeof key === 'function') return authorizeElsewhere(key)
  const privateKey = readKey(key instanceof Secret ? key.reveal() : key)
  return async (payload) => sign('sha256', payload, privateKey).toString('base64')
}

function authorizeElsewhere(authorize: AuthorizeRequest): AuthorizeRequest {
  return async (payload) => {
    try {
      return await authorize(payload)
    } catch (cause) {
      const message = 'The function that authorizes requests to the wallet provider failed.'
      throw new WalletError('SIGNER_UNAVAILABLE', message, { cause })
    }
  }
}

function readKey(text: string): KeyObject {
  const refusal = invalidField('authPrivateKey', 'a P-256 key in base64 of PKCS#8 DER, or a function that signs')
  if (typeof text !== 'string') throw refusal
  const encoded = text.replace(/^wallet-(auth|api):/, '')
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(encoded)) throw refusal
  try {
    const key = createPrivateKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'pkcs8' })
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    // The library's message is not kept: it may speak of the key.
  }
  throw refusal
}
