import * as z from 'zod'
import { postJson } from '../post-json.ts'
import { SubgraphError } from './subgraph-error.ts'

/**
 * One exchange with a subgraph. The time limit covers the whole body, redirects are refused, a body above 4 MiB is cut off, and an
 * `errors` array makes a refusal of a 200.
 *
 * @throws SubgraphError
 */
export async function postGraphql(
  options: GraphqlOptions,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const said = await postJson({ ...options, mostBytes, mostValues }, JSON.stringify({ query, variables }))
  if ('failed' in said) throw failures[said.failed](options.timeoutMs, said.cause)
  const { status, body } = said
  if (status === 429 || status >= 500) throw new SubgraphError('broken', `answered with status ${status}`)
  if (status !== 200) throw new SubgraphError('refused', `answered with status ${status}`)
  const answer = answerSchema.safeParse(body)
  if (!answer.success) throw new SubgraphError('malformed', 'answered with something else than GraphQL')
  const { data, errors } = answer.data
  if (errors !== undefined && errors.length > 0) throw new SubgraphError('refused', 'refused the query')
  if (data === undefined || data === null) throw new SubgraphError('malformed', 'answered without data')
  return data
}

export type GraphqlOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const answerSchema = z.object({ data: z.unknown().optional(), errors: z.array(z.unknown()).optional() })

const mostBytes = 4 * 1024 * 1024
/** A page of a thousand rows holds some ten thousand. */
const mostValues = 200_000

const failures = {
  timeout: (timeoutMs: number) => new SubgraphError('timeout', `did not answer within ${timeoutMs} ms`),
  unreachable: (_: number, cause: unknown) => new SubgraphError('unreachable', 'could not be reached', cause),
  'too long': () => new SubgraphError('malformed', 'answered with more than 4 MiB'),
  'too many values': () => new SubgraphError('malformed', `answered with more than ${mostValues} values`),
}
