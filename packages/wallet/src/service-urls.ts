/**
 * The URL that `fetch` takes, which refuses one with a user and password in it, and these as the header that carries them
 * (Basic, RFC 7617, in UTF-8). A URL without them, and what is no URL, comes back as it is.
 */
export function urlCredentials(text: string): UrlCredentials {
  if (!URL.canParse(text)) return { url: text, headers: {} }
  const url = new URL(text)
  const { username, password } = url
  if (username === '' && password === '') return { url: text, headers: {} }
  url.username = ''
  url.password = ''
  const said = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`)
  return { url: url.href, headers: { authorization: `Basic ${btoa(String.fromCharCode(...said))}` } }
}

/** How a URL is asked that names its user and password. */
export type UrlCredentials = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** A percent sign that escapes nothing stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Whether it is a URL with http or https that carries neither user nor password: its requests have a token of their own. */
export function isPlainUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

export const plainUrl = 'a URL with http or https, without user and password'
