import { STATUS_CODES } from 'node:http'
/** The table of codes: `retryable` says whether the same request may succeed later without a change. */
export const errorTable = {
  VALIDATION_FAILED: row(400, false, 'Correct the fields named in details and ask again.'),
  FAUCET_CHAIN_NOT_SUPPORTED: row(400, false, 'Use a chain that /v1/faucet/status lists.'),
  FAUCET_TARGET_CONTRACT: row(400, false, 'Name the address of a wallet; contracts get nothing.'),
  APP_ID_INVALID: row(401, false, 'Use the id of your app at the wallet provider.'),
  FAUCET_TARGET_FUNDED: row(403, false, 'The wallet holds enough already; use what it has.'),
  HOST_NOT_ALLOWED: row(403, false, 'Use the address the service was configured for.'),
  ORIGIN_NOT_ALLOWED: row(403, false, 'Send the form from the page itself; programs use /v1/faucet/request.'),
  PROXY_REQUIRED: row(403, false, 'Reach the service over https through its edge proxy.'),
  ROUTE_NOT_FOUND: row(404, false, 'See /openapi.json for the routes.'),
  CONTENT_NOT_FOUND: row(404, false, 'Nothing is kept here under this identifier.'),
  METHOD_NOT_ALLOWED: row(405, false, 'Use a method that the Allow header names.'),
  FORMAT_NOT_SUPPORTED: row(406, false, 'Ask for the raw block or for JSON.'),
  FAUCET_ALREADY_CLAIMED: row(409, false, 'A wallet gets one grant per chain; see txHash for the first one.'),
  CONTENT_NOT_CACHED: row(412, false, 'Ask without only-if-cached.'),
  PAYLOAD_TOO_LARGE: row(413, false, 'Send at most what details name.'),
  MEDIA_TYPE_NOT_SUPPORTED: row(415, false, 'Send uncompressed application/json in UTF-8.'),
  HEADERS_TOO_LARGE: row(431, false, 'Send at most 100 header fields, what proxies add included.'),
  PIN_RATE_LIMITED: row(429, true, 'Wait for the time that Retry-After names; a card that is pinned already is free.'),
  RATE_LIMITED: row(429, true, 'Wait for the time that Retry-After names.'),
  INTERNAL: row(500, true, 'Ask again; if it happens again, give the request id to the operator.'),
  PIN_CID_MISMATCH: row(502, true, 'The pinning service answered for other content. Ask again later.'),
  UPSTREAM_UNAVAILABLE: row(503, true, 'Wait for the time that Retry-After names.'),
  FAUCET_DRY: row(503, true, 'The faucet is being filled up; fund the wallet by hand or ask again later.'),
  FAUCET_PAUSED: row(503, true, 'The faucet has given what it gives in a day; ask again later.'),
} as const satisfies Readonly<Record<string, ErrorRow>>

export type ErrorCode = keyof typeof errorTable

export type ErrorRow = { readonly httpStatus: number; readonly retryable: boolean; readonly suggestion: string }

function row<Status extends number>(httpStatus: Status, retryable: boolean, suggestion: string) {
  return { httpStatus, retryable, suggestion } as const
}

/**
 * The one error that reaches a caller. What an upstream said goes to `cause`, which is logged and never sent. `facts` are
 * further members of the body, such as the first claim's transaction.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]
  readonly facts: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | null
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = few(options.details ?? [])
    this.facts = options.facts ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
    this.headers = options.headers ?? {}
  }

  /** The body: RFC 9457 with the members of the product's envelope. */
  toJSON(): Problem {
    const { httpStatus: status, retryable, suggestion } = errorTable[this.code]
    return {
      type: `urn:svc:error:${this.code}`,
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code: this.code,
      message: this.message,
      retryable,
      suggestion,
      details: this.details,
      ...this.facts,
    }
  }
}

/** `field` is the path of the member, `accepted` what it takes. */
export type ErrorDetail = { readonly field?: string; readonly message: string; readonly accepted?: string }

export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly retryable: boolean
  readonly suggestion: string
  readonly details: readonly ErrorDetail[]
}

/** A caller who sends thousands of faults is notified of the first ones, in few words. */
function few(details: readonly ErrorDetail[]): readonly ErrorDetail[] {
  const named = details.slice(0, mostDetails).map(shortened)
  const more = details.length - named.length
  return more === 0 ? named : [...named, { message: `And ${more} more.` }]
}

function shortened(detail: ErrorDetail): ErrorDetail {
  return detail.field === undefined ? detail : { ...detail, field: detail.field.slice(0, mostFieldLetters) }
}

const mostDetails = 20
const mostFieldLetters = 128

type ApiErrorOptions = {
  readonly details?: readonly ErrorDetail[]
  readonly facts?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}
