import { callErrors } from './errors/call-errors.ts'
import type { ErrorRow } from './errors/error-row.ts'
import { readErrors } from './errors/read-errors.ts'
import { transactionErrors } from './errors/transaction-errors.ts'

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
