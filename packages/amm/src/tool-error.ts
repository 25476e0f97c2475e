import { callErrors } from './errors/call-errors.ts'
import type { ErrorRow } from './errors/error-row.ts'
import { readErrors } from './errors/read-errors.ts'
import { transactionErrors } from './errors/transaction-errors.ts'

/**
 * The one error that reaches a caller. `message` and `details` are our own sentences; what an upstream said goes to
 * `cause`, which is logged after redaction and never sent.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]
  readonly suggestion: string
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? []
    this.suggestion = options.suggestion ?? errorTable[code].suggestion
    this.retryable = options.retryable ?? errorTable[code].retryable
  }

  /** The envelope that travels in MCP results and HTTP bodies alike. */
  toJSON(): ErrorEnvelope {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      suggestion: this.suggestion,
      details: this.details,
    }
  }
}

/** One fact about the failure. `field` is the path of the input member, `accepted` what it takes. */
export type ErrorDetail = {
  readonly field?: string
  readonly message: string
  readonly accepted?: string | readonly string[]
  readonly [fact: string]: unknown
}

export type ErrorEnvelope = {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable: boolean
  readonly suggestion: string
  readonly details: readonly ErrorDetail[]
}

export type ToolErrorOptions = {
  readonly details?: readonly ErrorDetail[]
  readonly suggestion?: string
  /** Where the cause at hand differs from what the table says of the code. */
  readonly retryable?: boolean
  readonly cause?: unknown
}

/**
 * The table of codes. `httpStatus` is used where an error travels as an HTTP answer of its own, `retryable` says whether
 * the same call may succeed later without anybody's doing, unless the thrower knows better, `suggestion` is the fix when
 * the thrower names none.
 */
export const errorTable = {
  ...callErrors,
  ...readErrors,
  ...transactionErrors,
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable
