import { WalletError } from '../../wallet-error.ts'

/**
 * What a failed request to the wallet provider means. The cause keeps status and the provider's words, the secrets of the
 * configuration taken out, and nothing of the request.
 */
export function providerFailure(error: unknown, secrets: readonly string[]): WalletError {
  if (error instanceof WalletError) return error
  const { status, code, words, retryAfterSeconds } = factsOf(error)
  const cause = new Error(withoutSecrets(`${status ?? 'no answer'} ${code ?? ''} ${words}`, secrets))
  const details = { status, providerCode: code }
  if (status === null || status >= 500) {
    return new WalletError('SIGNER_UNAVAILABLE', 'The wallet provider does not answer.', { cause, details })
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
export function mayTryAgain(error: unknown): boolean {
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
