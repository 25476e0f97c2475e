import * as z from 'zod'
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
  const { status, text } = await exchange(options, JSON.stringify({ query, variables }))
  if (status === 429 || status >= 500) throw new SubgraphError('broken', `answered with status ${status}`)
  if (status !== 200) throw new SubgraphError('refused', `answered with status ${status}`)
  const answer = answerSchema.safeParse(parse(text))
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
}

const answerSchema = z.object({ data: z.unknown().optional(), errors: z.array(z.unknown()).optional() })

const maxBodyBytes = 4 * 1024 * 1024

async function exchange(options: GraphqlOptions, body: string): Promise<{ status: number; text: string }> {
  const { url, headers, fetch, timeoutMs } = options
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, text: await readText(response) }
  } catch (error) {
    if (error instanceof SubgraphError) throw error
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new SubgraphError('timeout', `did not answer within ${timeoutMs} ms`)
    }
    throw new SubgraphError('unreachable', 'could not be reached', error)
  }
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes) throw new SubgraphError('malformed', 'answered with more than 4 MiB')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
