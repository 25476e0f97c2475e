import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { type Chain, type Secret, urlCredentials, type UrlCredentials } from '@svc/wallet/core'
import { fetchJson } from '../fetch-json.ts'
import type { Version } from '../ports.ts'
import { ToolError } from '../tool-error.ts'

/**
 * The subgraphs that the rows of the chains name: those with a URL of their own, whose user and password travel in a header, and with
 * a key those at The Graph's gateway. The key travels to the gateway alone, in a header. A query is asked up to three times while failures may pass.
 */
export function createSubgraphs(options: SubgraphsOptions): Subgraphs {
  const { apiKey, fetch = globalThis.fetch, timeoutMs = 8_000, pauseMs = 300 } = options
  return {
    of(chain, version) {
      const place = chain.subgraphs?.[version]
      if (place === undefined) return null
      const reached = place.includes('://') ? urlCredentials(place) : apiKey && atGateway(place, apiKey)
      if (reached === null) return null
      return async (query, variables, signal) => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await postGraphql({ ...reached, fetch, timeoutMs, signal }, query, variables)
          } catch (error) {
            if (signal?.aborted === true)
              throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
            const mayPass = error instanceof SubgraphError && (error.kind === 'unreachable' || error.kind === 'broken')
            if (!mayPass || attempt === mostAttempts) throw error
            await sleep(pauseMs * 3 ** (attempt - 1))
          }
        }
      }
    },
  }
}

export type SubgraphsOptions = {
  readonly apiKey: Secret | null
  readonly fetch?: typeof fetch
  /** For one exchange, its whole body included. */
  readonly timeoutMs?: number
  /** Before the second attempt; three times as long before the third. */
  readonly pauseMs?: number
}

export type Subgraphs = {
  /** How a subgraph is asked; `null` where none is known, or its key is missing. */
  of(chain: Chain, version: Version): AskSubgraph | null
}

/** The `data` of an answer, unchecked. Throws `SubgraphError`, and ToolError `CANCELLED` once aborted. */
export type AskSubgraph = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => Promise<unknown>

function atGateway(id: string, apiKey: Secret): UrlCredentials {
  return { url: `${gateway}/${id}`, headers: { authorization: `Bearer ${apiKey.reveal()}` } }
}

const gateway = 'https://gateway.thegraph.com/api/subgraphs/id'
const mostAttempts = 3

/**
 * One exchange with a subgraph. The time limit covers the whole body, redirects are refused, a body above 4 MiB is cut off, and an
 * `errors` array makes a refusal of a 200.
 *
 * @throws SubgraphError
 */
async function postGraphql(
  options: GraphqlOptions,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const said = await fetchJson({ ...options, mostBytes, mostValues }, JSON.stringify({ query, variables }))
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

type GraphqlOptions = {
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

/** Why a subgraph gave no usable answer. The message is a clause of our own, ready to follow "The subgraph"; no URL, no key, nothing it said. */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError'
  readonly kind: SubgraphErrorKind

  constructor(kind: SubgraphErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** `broken` and `unreachable` may pass when asked again; the others do not. `untrue` is what the chain itself tells otherwise. */
type SubgraphErrorKind = 'unreachable' | 'broken' | 'timeout' | 'refused' | 'malformed' | 'stale' | 'untrue'
