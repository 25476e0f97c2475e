import { Secret } from '../../secret.ts'
import { readSigningUrl } from '../../service-urls.ts'
import { WalletError } from '../../wallet-error.ts'

/**
 * What an app asks of its wallet provider beside signatures, with app id and secret alone. Each request is made once. Throws
 * `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`, `SIGNER_RATE_LIMITED` or `SIGNER_REFUSED`; the cause keeps status and the provider's code.
 */
export function openProviderApi(app: ProviderApp): ProviderApi {
  const { appId, appSecret, fetch = globalThis.fetch } = app
  const base = readSigningUrl(app.apiUrl ?? 'https://api.privy.io', 'apiUrl').replace(/\/+$/, '')
  const secret = appSecret instanceof Secret ? appSecret.reveal() : appSecret
  const authorization = `Basic ${Buffer.from(`${appId}:${secret}`).toString('base64')}`
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization,
        'privy-app-id': appId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw unavailable(base, cause)
    })
    const read = fields(await answer.json().catch(() => null))
    if (answer.ok && read !== null) return read
    throw refusal(answer.status, typeof read?.['code'] === 'string' ? read['code'] : null, base)
  }
  return {
    get: (path) => ask('GET', path),
    find: (path) =>
      ask('GET', path).catch((error: unknown) => {
        if (error instanceof WalletError && error.details['status'] === 404) return null
        throw error
      }),
    post: (path, body) => ask('POST', path, body),
  }
}

/** An app at the provider. */
export type ProviderApp = {
  readonly appId: string
  readonly appSecret: string | Secret
  /** Its public one without. */
  readonly apiUrl?: string | undefined
  readonly fetch?: typeof fetch | undefined
}

export type ProviderApi = {
  readonly get: (path: string) => Promise<Fields>
  /** `null` where the provider has no such thing. */
  readonly find: (path: string) => Promise<Fields | null>
  readonly post: (path: string, body: object) => Promise<Fields>
}

export type Fields = Readonly<Record<string, unknown>>

const timeoutMs = 20_000

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

function unavailable(base: string, cause: unknown): WalletError {
  return new WalletError('SIGNER_UNAVAILABLE', `The wallet provider at ${new URL(base).host} does not answer.`, {
    cause,
  })
}

function refusal(status: number, code: string | null, base: string): WalletError {
  const cause = new Error(`${status} ${code ?? ''}`)
  if (status >= 500 || status < 400) return unavailable(base, cause)
  if (status === 401 || status === 403) {
    return new WalletError('SIGNER_UNAUTHORIZED', 'The wallet provider does not accept the credentials.', { cause })
  }
  if (status === 429) {
    const details = { retryAfterSeconds: null }
    return new WalletError('SIGNER_RATE_LIMITED', 'The wallet provider asks for fewer requests.', { cause, details })
  }
  const what = status === 404 ? 'knows no such thing in this app' : `refuses the request (${status})`
  const details = { status, providerCode: code, host: new URL(base).host }
  return new WalletError('SIGNER_REFUSED', `The wallet provider ${what}.`, { cause, details })
}
