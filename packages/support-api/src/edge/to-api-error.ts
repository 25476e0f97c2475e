import { StoreError } from '@svc/store'
import { ApiError } from '../api-error.ts'

/** What a caller gets of anything thrown: our own errors as they are, a database that is away, else `INTERNAL`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreError && storeIsAway.has(error.code)) {
    return new ApiError('UPSTREAM_UNAVAILABLE', 'The database is away for a moment.', {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  return new ApiError('INTERNAL', 'Something went wrong inside the service.', { cause: error })
}

const storeIsAway: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'STORE_BUSY', 'STORE_IN_DOUBT'])
