import { errorTable, type ErrorCode } from './errors.ts'

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
