import { isDeepStrictEqual } from 'node:util'
import { openSession, rawRequest, type RawAnswer } from '../raw-http.fixture.ts'
import { openTestServer, slow, testTools, type TestServer } from '../test-server.fixture.ts'
import { corpus, type CorpusRequest } from './corpus.fixture.ts'

/**
 * Sends the requests of a corpus, one after the other, to a server that answers what is plain without the protocol library, and to one that
 * answers nothing so; gives those whose answers differ, and how many were answered without it.
 */
export async function compareTwoPaths(seed: number, size: number): Promise<Compared> {
  const [fast, library] = await Promise.all([openPath(true), openPath(false)])
  const differing: Difference[] = []
  let answeredFast = 0
  try {
    for (const request of corpus(seed, size)) {
      const [one, other] = await Promise.all([fast.answer(request), library.answer(request)])
      if (isOfFastPath(one)) answeredFast += 1
      const [seen, expected] = [shown(one, request), shown(other, request)]
      if (!isDeepStrictEqual(seen, expected)) differing.push({ request, fast: seen, library: expected })
    }
  } finally {
    await Promise.all([fast.close(), library.close()])
  }
  return { compared: size, differing, answeredFast }
}

export type Compared = {
  readonly compared: number
  readonly differing: readonly Difference[]
  readonly answeredFast: number
}

export type Difference = {
  readonly request: CorpusRequest
  readonly fast: unknown
  readonly library: unknown
}

async function openPath(isFast: boolean) {
  let onBegun = () => {}
  /** Says that it has begun, so that nobody cancels what is not there yet. */
  const held = {
    ...slow,
    handle: (input: Parameters<typeof slow.handle>[0], context: Parameters<typeof slow.handle>[1]) => {
      onBegun()
      return slow.handle(input, context)
    },
  }
  const limits = { perAddressPerMinute: 1e9, unauthenticatedPerMinute: 1e9, perPrincipalPerMinute: 1e9 }
  const tools = testTools.map((tool) => (tool === slow ? held : tool))
  const open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, tools, limits, isFast })
  const sessions = new Map<string, string>()
  const tokenOf = (caller: CorpusRequest['caller']) =>
    caller === 'none' ? undefined : caller === 'stranger' ? 'nobodys-key' : open.keys[caller]

  async function sessionOf(caller: CorpusRequest['caller']): Promise<string> {
    const token = tokenOf(caller)
    if (token === undefined || caller === 'stranger') return 'none'
    const known = sessions.get(caller) ?? (await openSession(open.port, token))
    sessions.set(caller, known)
    return known
  }

  return {
    async answer(request: CorpusRequest): Promise<RawAnswer> {
      const headers = {
        ...request.headers,
        ...(request.ownSession ? { 'mcp-session-id': await sessionOf(request.caller) } : {}),
      }
      const token = tokenOf(request.caller)
      const sent = { ...(token === undefined ? {} : { token }), headers, body: request.body }
      if (!request.isCancelled) return rawRequest(open.port, sent)
      const { id } = JSON.parse(request.body) as { readonly id: number }
      const hasBegun = new Promise<void>((resolve) => void (onBegun = resolve))
      const answer = rawRequest(open.port, sent)
      await hasBegun
      const params = { requestId: id }
      await rawRequest(open.port, {
        ...sent,
        body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }),
      })
      return answer
    },
    close: () => (open satisfies TestServer).server.close(),
  }
}

/** The library streams its answers; ours come with their length. */
function isOfFastPath({ status, headers, json }: RawAnswer): boolean {
  return (
    headers['content-length'] !== undefined &&
    status < 500 &&
    typeof json === 'object' &&
    json !== null &&
    'jsonrpc' in json
  )
}

/** What a client sees of an answer. An answer of a session may come as a stream of one event or as JSON, which every client takes. */
function shown({ status, headers, text, json }: RawAnswer, { era }: CorpusRequest): unknown {
  const kept = Object.fromEntries(headersThatMatter.map((name) => [name, headers[name]]))
  const type = headers['content-type']
  const isMessage = status === 200 && json !== undefined
  return {
    status,
    headers: { ...kept, 'content-type': era === 'session' && isMessage ? 'a message' : type },
    hasSession: headers['mcp-session-id'] !== undefined,
    body: withoutChance(isMessage || json !== undefined ? json : text),
  }
}

const headersThatMatter = ['www-authenticate', 'retry-after', 'allow', 'vary', 'access-control-allow-origin']

/** Correlation ids are drawn anew for each call, and keys for each server. */
function withoutChance(body: unknown): unknown {
  const text = JSON.stringify(body) ?? 'null'
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id')
      .replaceAll(/api-key:[0-9a-f]{16}/g, 'a key'),
  )
}
