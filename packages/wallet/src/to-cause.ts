/**
 * What may be kept of an error as the cause of one of ours, and be printed with it. Errors of clients of JSON-RPC quote
 * the endpoint's URL, which holds its key, and the body of the request: in their place comes an error with their name,
 * code, revert data and sentences, and so down the causes. Any other error stays as it is.
 */
export function toCause(error: unknown): unknown {
  const chain = chainOf(error)
  if (!chain.some((each) => 'shortMessage' in each)) return error
  const secrets = chain.flatMap(secretsOf)
  return chain.reduceRight<Error | null>((inner, each) => withoutRequest(each, inner, secrets), null) ?? error
}

/**
 * What an endpoint answered in the place of a result, in its own words and as they may be shown, found in the error of a client
 * of JSON-RPC or in what {@link toCause} kept of it; `null` where it gave no answer of JSON-RPC.
 */
export function refusalIn(error: unknown): string | null {
  const chain = chainOf(error)
  const isAnswer = ({ code }: RequestError) => typeof code === 'number' && Number.isSafeInteger(code) && code !== -1
  const answer: RequestError | undefined = chain.findLast(isAnswer)
  if (answer === undefined) return null
  const { details = answer.message } = answer
  return plainWords(String(details), chain.flatMap(secretsOf)) || null
}

const mostCauses = 10
/** A shorter part of a path is no key. */
const shortestSecret = 8

function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let each = error; each instanceof Error && chain.length < mostCauses; each = each.cause) chain.push(each)
  return chain
}

function withoutRequest(error: Error, cause: Error | null, secrets: readonly string[]): Error {
  const { shortMessage = error.message, details, code, data }: RequestError = error
  const kept = new Error(plainWords(String(shortMessage), secrets), cause === null ? {} : { cause })
  kept.name = error.name
  return Object.assign(
    kept,
    typeof details === 'string' && { details: plainWords(details, secrets) },
    (typeof code === 'string' || typeof code === 'number') && { code },
    typeof data === 'string' && /^0x[0-9a-f]*$/i.test(data) && { data },
  )
}

/** What may be in errors of viem and ethers. */
type RequestError = Error & {
  readonly shortMessage?: unknown
  readonly details?: unknown
  readonly code?: unknown
  readonly data?: unknown
}

/** An endpoint may repeat its key outside a URL. */
function secretsOf(error: Error): readonly string[] {
  const text: unknown = 'url' in error ? error.url : null
  if (typeof text !== 'string' || !URL.canParse(text)) return []
  const { pathname, searchParams, username, password } = new URL(text)
  const parts = [username, password, ...pathname.split('/'), ...searchParams.values()]
  return parts.filter((part) => part.length >= shortestSecret)
}

/**
 * A foreign sentence as it may be shown and logged: without control and invisible characters, without URLs, since those
 * of endpoints hold keys, without the secrets named, and no longer than 300 characters.
 */
function plainWords(text: string, secrets: readonly string[] = []): string {
  // Cut first: the patterns are not for texts of any length.
  const withoutUrls = text.slice(0, longest * 4).replaceAll(/[a-z][\w+.-]*:\/\/\S+/gi, '[url]')
  const withoutSecrets = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), withoutUrls)
  return withoutSecrets
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longest)
}

const longest = 300
