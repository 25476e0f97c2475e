import { z } from '@hono/zod-openapi'
import { errorTable, type ErrorCode } from '../errors.ts'

/** The body of every error, as the API description shows it. */
const problem = z
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
export function problemResponses(...codes: readonly ErrorCode[]) {
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
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  )
}

const everywhere = [
  'HOST_NOT_ALLOWED',
  'PROXY_REQUIRED',
  'METHOD_NOT_ALLOWED',
  'RATE_LIMITED',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]
