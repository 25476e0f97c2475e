import { boundedBytes, withDeadline } from '@svc/wallet/core'

/**
 * One POST of JSON and its answer, whatever the status. The time limit covers the whole body, redirects are refused, and no more than
 * `mostBytes` of the answer are read. Why there is none is told without what anybody said.
 */
export async function postJson(
  { url, headers, fetch, timeoutMs, mostBytes }: JsonPost,
  content: string,
): Promise<JsonAnswer | NoAnswer> {
  try {
    return await withDeadline({ timeoutMs }, async (signal) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: content,
        redirect: 'error',
        signal,
      })
      const type = /^[\w.+-]+\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '')?.[0] ?? 'no type'
      const bytes = await boundedBytes(response, { mostBytes, signal })
      return { status: response.status, type, body: parsed(new TextDecoder().decode(bytes)) }
    })
  } catch (cause) {
    if (cause instanceof RangeError) return { failed: 'too long', cause }
    return { failed: cause instanceof Error && cause.name === 'TimeoutError' ? 'timeout' : 'unreachable', cause }
  }
}

export type JsonPost = {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly mostBytes: number
}

/** `type` is the media type alone, `body` undefined for what is no JSON. */
export type JsonAnswer = { readonly status: number; readonly type: string; readonly body: unknown }

export type NoAnswer = { readonly failed: 'timeout' | 'unreachable' | 'too long'; readonly cause: unknown }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
