import { boundedBytes, withDeadline } from '@svc/wallet/core'

/**
 * Asks the identity provider once whether it knows an app: yes is a 200 with JSON whose `id` is the app's, no is a 404 or
 * a 400 with JSON that names an `error` or a `message`. Anything else, a redirect, an answer of more than 256 KiB and the
 * page of a web server that is no such provider among it, is no answer and rejects.
 */
export async function askProvider(
  appId: string,
  { provider, fetch, timeoutMs = 5_000 }: ProviderQuestion,
): Promise<boolean> {
  const url = `${provider.url}${provider.path.replace('{appId}', encodeURIComponent(appId))}`
  const { status, text } = await withDeadline({ timeoutMs }, async (signal) => {
    const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal })
    const bytes = await boundedBytes(answer, { mostBytes, signal })
    return { status: answer.status, text: new TextDecoder().decode(bytes) }
  })
  if (status === 404 || status === 400) {
    if (namesFault(text)) return false
    throw new Error(`What stands at the address of the identity provider answered ${status} in words of its own.`)
  }
  if (status !== 200) throw new Error(`The identity provider answered ${status}.`)
  const said: unknown = JSON.parse(text)
  if (typeof said === 'object' && said !== null && 'id' in said && said.id === appId) return true
  throw new Error('The identity provider answered for no app, or another one.')
}

export type ProviderQuestion = {
  readonly provider: { readonly url: string; readonly path: string }
  readonly fetch: typeof fetch
  readonly timeoutMs?: number
}

function namesFault(text: string): boolean {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null && ('error' in said || 'message' in said)
  } catch {
    return false
  }
}

const mostBytes = 256 * 1024
