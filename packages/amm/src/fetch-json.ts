import { boundedBytes, boundedParts, withDeadline } from '@svc/wallet/core'
import { yieldToEventLoop } from '@svc/runtime'

/**
 * One exchange of JSON, whatever the status of the answer: a POST of `content`, or a GET without one. The time limit covers the whole
 * body, redirects are refused, no more than `mostBytes` of the answer are read, and one with more than `mostValues` is not parsed:
 * 16 MiB of `{},{},...` take many seconds, in which nothing else runs. Where `read` is named it gets the body in parts, each of which
 * has the time limit to itself, all together `bodyTimeoutMs`. Why there is no answer is reported without what anybody said.
 */
export async function fetchJson(
  {
    url,
    headers,
    fetch,
    timeoutMs,
    bodyTimeoutMs = timeoutMs,
    mostBytes,
    mostValues,
    read,
    signal: caller,
  }: JsonRequest,
  content?: string,
): Promise<JsonAnswer | NoAnswer> {
  try {
    return await withDeadline({ timeoutMs, signal: caller }, async (signal, beginAnew) => {
      const asked =
        content === undefined
          ? { method: 'GET', headers: { accept: json, ...headers } }
          : { method: 'POST', headers: { 'content-type': json, accept: json, ...headers }, body: content }
      const response = await fetch(url, { ...asked, redirect: 'error', signal })
      const type = /^[\w.+-]+\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '')?.[0] ?? 'no type'
      const { status } = response
      if (read !== undefined) {
        const parts = boundedParts(response, { mostBytes, signal })
        return { status, type, body: await read(noting(parts, within(bodyTimeoutMs, beginAnew))) }
      }
      const bytes = await boundedBytes(response, { mostBytes, signal })
      // Answers that come together are not looked at in one turn.
      await yieldToEventLoop()
      if (hasMoreValues(bytes, mostValues)) return { failed: 'too many values', cause: undefined }
      return { status, type, body: parsed(utf8.decode(bytes)) }
    })
  } catch (cause) {
    if (cause instanceof RangeError) return { failed: 'too long', cause }
    return { failed: cause instanceof Error && cause.name === 'TimeoutError' ? 'timeout' : 'unreachable', cause }
  }
}

export type JsonRequest = {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  /** Of a body that `read` reads. */
  readonly bodyTimeoutMs?: number | undefined
  /** Ends the exchange, which then counts as `unreachable`. */
  readonly signal?: AbortSignal | undefined
  readonly mostBytes: number
  /** Lists, objects, and what they hold. */
  readonly mostValues: number
  /** Parses the body as it comes in; `mostValues` is then its own affair. A `RangeError` says that it is too long. */
  readonly read?: ((parts: AsyncIterable<Uint8Array>) => Promise<unknown>) | undefined
}

/** `type` is the media type alone, `body` undefined for what is no JSON. */
export type JsonAnswer = { readonly status: number; readonly type: string; readonly body: unknown }

export type NoAnswer = {
  readonly failed: 'timeout' | 'unreachable' | 'too long' | 'too many values'
  readonly cause: unknown
}

const json = 'application/json'
const utf8 = new TextDecoder()

/** The parts as they come; `came` runs with each. */
async function* noting(parts: AsyncIterable<Uint8Array>, came: () => void): AsyncGenerator<Uint8Array, void> {
  for await (const part of parts) {
    came()
    yield part
  }
}

/** Acts when it is called, as long as so much time has not passed since now. */
function within(timeoutMs: number, act: () => void): () => void {
  const begunAt = performance.now()
  return () => {
    if (performance.now() - begunAt < timeoutMs) act()
  }
}

/** Commas and the brackets that open: each value but the first comes after one of them. */
const marks: readonly number[] = [0x2c, 0x5b, 0x7b]

export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  let left = most
  for (const mark of marks) {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) if (--left < 0) return true
  }
  return false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
