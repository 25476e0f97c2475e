import { invalidField, missingField } from './wallet-error.ts'

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

/**
 * Where the support API is: the options' URL, or else `SVC_API_URL`; `undefined` where neither is set. Throws
 * `VALIDATION_CONFIG_INVALID`, also for one with a user and password, whose header the pin proxy needs for the app.
 */
export function supportApiUrl(
  apiUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = apiUrl ?? (env['SVC_API_URL'] || undefined)
  if (url === undefined || isPlainUrl(url)) return url
  const name = apiUrl === undefined ? 'SVC_API_URL' : 'apiUrl'
  throw invalidField(name, plainUrl)
}

/**
 * Reads the URL of a backend that signs: https, or http on this machine, since credentials go with every request. Throws
 * `VALIDATION_CONFIG_INVALID` naming the field.
 */
export function readSigningUrl(text: string | undefined, field: string): string {
  const accepted = 'an https URL, or http on this machine, of origin and path alone'
  if (text === undefined || text === '') throw missingField(field, accepted)
  if (typeof text !== 'string' || !URL.canParse(text)) throw invalidField(field, accepted)
  const { username, password, search, hash } = new URL(text)
  if (!isPrivateWay(text) || [username, password, search, hash].some((part) => part !== ''))
    throw invalidField(field, accepted)
  return text
}

/** Whether nobody on the way to a URL can read or answer for it: it has https, or http on this machine. */
export function isPrivateWay(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
}

/**
 * Where bundler and paymaster of a chain are: the options' URLs, or else `SVC_BUNDLER_URL_<chainId>` and
 * `SVC_PAYMASTER_URL_<chainId>`. `null` where none is named. Throws `VALIDATION_CONFIG_INVALID` for what is no http URL.
 */
export function sponsorUrls(
  chainId: number,
  options: { readonly bundlerUrl?: string | undefined; readonly paymasterUrl?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): SponsorUrls {
  const bundlerName = `SVC_BUNDLER_URL_${chainId}`
  const paymasterName = `SVC_PAYMASTER_URL_${chainId}`
  return {
    bundlerUrl: options.bundlerUrl ? checked('bundlerUrl', options.bundlerUrl) : checked(bundlerName, env[bundlerName]),
    paymasterUrl: options.paymasterUrl
      ? checked('paymasterUrl', options.paymasterUrl)
      : checked(paymasterName, env[paymasterName]),
  }
}

export type SponsorUrls = { readonly bundlerUrl: string | null; readonly paymasterUrl: string | null }

function checked(name: string, url: string | undefined): string | null {
  if (url === undefined || url === '') return null
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  // The URL may hold a key, so it is not quoted.
  throw invalidField(name, 'a URL with http or https')
}
