import { boundedBytes, withDeadline } from '@svc/wallet/core'

/**
 * Asks the identity provider once whether it knows an app: yes is a 200 with JSON whose `id` is the app's, no is a 404 or
 * a 400 with JSON whose `error` or `message` speaks of an app. Anything else, a redirect, an answer of more than 256 KiB and
 * what any web server says of a path it does not have among it, is no answer and rejects.
 */
export async function askProvider(
  appId: string,
  { provider, fetch, timeoutMs = 5_000 }: ProviderQuestion,
): Promise<boolean> {
  const path = provider.path.replace('{appId}', encodeURIComponent(appId))
  const url = `${provider.url}${path}`
  const { status, text } = await withDeadline({ timeoutMs }, async (signal) => {
    const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal })
    const bytes = await boundedBytes(answer, { mostBytes, signal })
    return { status: answer.status, text: new TextDecoder().decode(bytes) }
  })
  if (status === 404 || status === 400) {
    if (speaksOfApp(text, path)) return false
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

/** Servers without such a path echo it, so it is left out; other words for an error are not about the app. */
function speaksOfApp(text: string, path: string): boolean {
  try {
    const said: unknown = JSON.parse(text)
    if (typeof said !== 'object' || said === null) return false
    const words = ['error' in said ? said.error : null, 'message' in said ? said.message : null]
    return words.some((word) => typeof word === 'string' && /\bapp(lication)?\b/i.test(word.replaceAll(path, '')))
  } catch {
    return false
  }
}

const mostBytes = 256 * 1024
