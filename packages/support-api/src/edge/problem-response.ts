import type { ApiError } from '../api-error.ts'

/** The answer for an error: RFC 9457, never cached. */
export function problemResponse(error: ApiError): Response {
  const problem = error.toJSON()
  return Response.json(problem, {
    status: problem.status,
    headers: {
      'cache-control': 'no-store',
      ...(error.retryAfterSeconds !== null && { 'retry-after': String(error.retryAfterSeconds) }),
      ...error.headers,
      'content-type': 'application/problem+json',
    },
  })
}
