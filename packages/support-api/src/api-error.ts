import { STATUS_CODES } from 'node:http'
import { errorTable, type ErrorCode } from './errors.ts'

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

export type ApiErrorOptions = {
  readonly details?: readonly ErrorDetail[]
  readonly facts?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}
