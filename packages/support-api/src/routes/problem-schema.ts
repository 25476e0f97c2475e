import { z } from '@hono/zod-openapi'
import { errorTable, type ErrorCode } from '../errors.ts'

/** The body of every error, as the API description shows it. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    retryable: z.boolean(),
    suggestion: z.string(),
    details: z.array(z.object({ field: z.string().optional(), message: z.string(), accepted: z.string().optional() })),
  })
  .openapi('Problem', { description: 'RFC 9457, with the members of the product’s envelope.' })

/** The error answers of a route, by status, for the codes it may answer with beside those that every route has. */
export function problemResponses(...codes: readonly ErrorCode[]): Readonly<Record<string, ProblemResponse>> {
  const named = [...codes, ...everywhere]
  const statuses = new Set(named.map((code) => errorTable[code].httpStatus))
  const namedBy = (status: number) => named.filter((code) => errorTable[code].httpStatus === status)
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      {
        description: namedBy(status)
          .map((code) => `\`${code}\``)
          .join(', '),
        headers: headersOf(status),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  )
}

export type ProblemResponse = {
  readonly description: string
  readonly headers: HeadersObject
  readonly content: Readonly<Record<'application/problem+json', { readonly schema: z.ZodType }>>
}

/** What is left of a limit (draft-ietf-httpapi-ratelimit-headers). */
export const rateLimitHeaderObjects: HeadersObject = {
  'RateLimit-Policy': header('The limit that was counted: `"name";q=` how many, `;w=` seconds of its window.'),
  RateLimit: header('What is left of it: `"name";r=` how many, `;t=` seconds until there is more.'),
}

function headersOf(status: number): HeadersObject {
  if (status === 405) return { Allow: header('The methods that the path takes.') }
  if (status !== 429 && status !== 503) return {}
  return { 'Retry-After': header('Seconds to wait before asking again.'), ...rateLimitHeaderObjects }
}

function header(description: string) {
  return { description, schema: { type: 'string' as const } }
}

type HeadersObject = Readonly<Record<string, { readonly description: string; readonly schema: { type: 'string' } }>>

const everywhere = [
  'HOST_NOT_ALLOWED',
  'PROXY_REQUIRED',
  'METHOD_NOT_ALLOWED',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]
