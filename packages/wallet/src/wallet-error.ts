import { walletErrorTable, type WalletErrorCode } from './wallet-error-table.ts'

/**
 * The one error this package throws. `message` is a short sentence of ours and holds no secret, `suggestion` says how to
 * fix it, `docs` where to read on; whatever caused it is in `cause`, without URLs of endpoints and bodies of requests.
 */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: WalletErrorCode
  readonly suggestion: string
  /** Path of the page in this package and in its repository, with the anchor of the code. */
  readonly docs: string
  /** What a program may need: hashes, tokens to go on with, the fields that were refused. It can be written as JSON. */
  readonly details: Readonly<Record<string, Json>>

  /** Members of `details` that the table names for the code are asked for. */
  constructor(...given: WalletErrorArguments) {
    const [code, message, options] = given
    const { cause, suggestion = walletErrorTable[code].suggestion, details = {} }: WalletErrorOptions = options ?? {}
    super(message, cause === undefined ? {} : { cause: toCause(cause) })
    this.code = code
    this.suggestion = suggestion
    this.docs = `docs/wallet-errors.md#${code.toLowerCase()}`
    this.details = Object.freeze({ ...details })
  }

  /** What `JSON.stringify` writes: the message too, and neither stack nor cause. */
  toJSON(): { readonly [member: string]: Json } {
    const { name, code, message, suggestion, docs, details } = this
    return { name, code, message, suggestion, docs, details }
  }
}

/** The refusal of a field, which says what is accepted and does not repeat what was given. */
export function invalidField(field: string, accepted: string, suggestion?: string): WalletError {
  return refusedField(field, accepted, `${field} is not valid; accepted: ${accepted}.`, suggestion)
}

/** The same of a field that is not there. */
export function missingField(field: string, accepted: string): WalletError {
  return refusedField(field, accepted, `${field} is missing; accepted: ${accepted}.`)
}

/** The same of a field that is there and has nothing in it. */
export function emptyField(field: string, accepted: string): WalletError {
  return refusedField(field, accepted, `${field} is empty; accepted: ${accepted}.`)
}

function refusedField(field: string, accepted: string, message: string, suggestion?: string): WalletError {
  const details = { fields: [{ field, accepted }] }
  return new WalletError('VALIDATION_CONFIG_INVALID', message, { details, ...(suggestion && { suggestion }) })
}

export type { WalletErrorCode } from './wallet-error-table.ts'

/** What an error carries beside code and message. */
export type WalletErrorOptions = {
  readonly cause?: unknown
  /** Instead of the table's, where the thrower knows better. */
  readonly suggestion?: string
  readonly details?: Readonly<Record<string, Json>>
}

/** What a `WalletError` is made of: options must hold the members of `details` that the table names for the code. */
export type WalletErrorArguments = {
  readonly [Code in WalletErrorCode]: [(typeof walletErrorTable)[Code]['details'][number]] extends [never]
    ? [code: Code, message: string, options?: WalletErrorOptions]
    : [
        code: Code,
        message: string,
        options: WalletErrorOptions & {
          readonly details: { readonly [Name in (typeof walletErrorTable)[Code]['details'][number]]: Json }
        },
      ]
}[WalletErrorCode]

/** What `JSON.stringify` writes and `JSON.parse` gives back. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

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
