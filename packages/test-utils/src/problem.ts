import { HttpResponse } from 'msw'

/** An error of the support API: `application/problem+json` with the members of its envelope. */
export function problem(status: number, { code, message, details = {}, retryAfterSeconds }: Problem): Response {
  const retryable = status === 429 || status === 503
  const body = {
    type: 'about:blank',
    title: code,
    status,
    code,
    message,
    retryable,
    suggestion: retryable ? 'Try again later.' : 'Correct the request.',
    details,
  }
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }),
  }
  return new HttpResponse(JSON.stringify(body), { status, headers })
}

export type Problem = {
  readonly code: string
  readonly message: string
  readonly details?: object
  readonly retryAfterSeconds?: number
}

/** The members of a request's body; none of them when it is no JSON object. */
export async function readJson(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await request.json().catch(() => null)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
