import { throwIfAborted } from '../../with-deadline.ts'
import { WalletError } from '../../wallet-error.ts'

/**
 * Asks a signer over JSON-RPC, once: a request is never repeated, and a redirect is not followed. Throws the `SIGNER_*`
 * codes, and `SIGNING_UNSUPPORTED` for a method the signer does not have.
 */
export function openSigningRpc(endpoint: SigningEndpoint): SigningRpc {
  return async (method, params, signal) => {
    const { url, token, fetch: request } = endpoint
    const { host } = new URL(url)
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await request(url, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      })
      requireOk(response, host)
      return resultOf(await readCapped(response, host), method, host)
    } catch (error) {
      if (error instanceof WalletError) throw error
      throwIfAborted(signal)
      const cause = new Error(withoutToken(error instanceof Error ? error.message : 'no answer', token))
      throw new WalletError('SIGNER_UNAVAILABLE', `The remote signer at ${host} does not answer.`, {
        cause,
        details: { status: null, host },
      })
    }
  }
}

export type SigningEndpoint = {
  readonly url: string
  readonly token: string | undefined
  readonly fetch: typeof fetch
}

export type SigningRpc = (method: string, params: readonly unknown[], signal?: AbortSignal) => Promise<unknown>

const timeoutMs = 20_000
const largestAnswerBytes = 1024 * 1024

function requireOk({ status, headers }: Response, host: string): void {
  if (status === 200) return
  const details = { status, host }
  if (status === 401 || status === 403) {
    throw new WalletError('SIGNER_UNAUTHORIZED', 'The remote signer does not accept the token.', { details })
  }
  if (status === 429) {
    const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
    throw new WalletError('SIGNER_RATE_LIMITED', 'The remote signer asks for fewer requests.', {
      details: { ...details, retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null },
    })
  }
  throw new WalletError('SIGNER_UNAVAILABLE', `The remote signer answered with status ${status}.`, { details })
}

async function readCapped(response: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > largestAnswerBytes) throw nonsense(host)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function resultOf(text: string, method: string, host: string): unknown {
  const { error, result } = asAnswer(text, host)
  if (error === undefined || error === null) return result
  const code = typeof error === 'object' && 'code' in error ? error.code : null
  const words = typeof error === 'object' && 'message' in error ? String(error.message).slice(0, 500) : ''
  const options = { cause: new Error(words), details: { rpcCode: typeof code === 'number' ? code : null } }
  if (code === -32_601) {
    throw new WalletError('SIGNING_UNSUPPORTED', `The remote signer has no method ${method}.`, {
      ...options,
      details: { ...options.details, kind: method },
    })
  }
  throw new WalletError('SIGNER_REFUSED', 'The remote signer refuses to sign this.', options)
}

function asAnswer(text: string, host: string): { readonly error?: unknown; readonly result?: unknown } {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // Falls through: what it says instead helps nobody.
  }
  throw nonsense(host)
}

function nonsense(host: string): WalletError {
  const message = 'The remote signer answered something that is no JSON-RPC.'
  return new WalletError('SIGNER_UNAVAILABLE', message, { details: { host } })
}

function withoutToken(text: string, token: string | undefined): string {
  return token === undefined || token === '' ? text : text.replaceAll(token, '[secret]')
}
