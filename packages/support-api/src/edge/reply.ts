import { StoreError } from '@svc/store'
import { ApiError } from '../errors.ts'
/** An answer. What it says itself wins over the headers that the pipeline gives to all; their names are in lower case. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody | null
}

type ReplyBody = string | Uint8Array<ArrayBuffer>

/** A body of a type. Made once where it says the same to many, since it counts the bytes. */
export function reply(body: ReplyBody, type: string, { status = 200, headers = {} }: ReplyOptions = {}): Reply {
  const length = String(Buffer.byteLength(body))
  return { status, headers: { ...headers, 'content-type': type, 'content-length': length }, body }
}

export type ReplyOptions = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }

/** The value as JSON. */
export function jsonReply(value: unknown, options?: ReplyOptions): Reply {
  return reply(JSON.stringify(value), 'application/json', options)
}

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
