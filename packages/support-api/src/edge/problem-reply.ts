import type { ApiError } from '../api-error.ts'
import { reply, type Reply } from './reply.ts'

/** The answer for an error: RFC 9457, never cached. */
export function problemReply(error: ApiError): Reply {
  const problem = error.toJSON()
  return reply(JSON.stringify(problem), 'application/problem+json', {
    status: problem.status,
    headers: {
      'cache-control': 'no-store',
      ...(error.retryAfterSeconds !== null && { 'retry-after': String(error.retryAfterSeconds) }),
      ...error.headers,
    },
  })
}
