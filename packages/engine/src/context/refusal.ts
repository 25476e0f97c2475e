import { type ErrorCode, type ErrorDetail, ToolError } from '@svc/amm'

/** Why the safety engine does not let an intent pass. A dry run reports all of them, a real call fails with the first. */
export type Refusal = {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: readonly ErrorDetail[]
  /** The fix, where it is another one than the code's. */
  readonly suggestion?: string
  /** Whether the same call may succeed later, where this cause differs from the code's. */
  readonly retryable?: boolean
}

/** Throws the first refusal as a `ToolError`; the others stand in its details. */
export function throwFirst(refusals: readonly Refusal[]): void {
  const [first, ...others] = refusals
  if (first === undefined) return
  throw new ToolError(first.code, first.message, {
    ...(first.suggestion === undefined ? {} : { suggestion: first.suggestion }),
    ...(first.retryable === undefined ? {} : { retryable: first.retryable }),
    details: [...(first.details ?? []), ...others.map(({ code, message }) => ({ code, message }))],
  })
}

/** The result of a step that may have something against the intent. */
export type Weighed = { readonly refusals: readonly Refusal[] }
