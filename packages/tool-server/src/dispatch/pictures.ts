import type { Log } from '@svc/runtime'
import type { ChartStore, ReadPicture } from '../charts/chart-store.ts'
import { ToolError, untilAborted } from '@svc/amm'
import { internalError } from './call-result.ts'

/** One line per reading. A picture that cannot be drawn is said so in words of ours; why stands in the log. */
export async function readPicture(
  { principalId, uri, signal }: Reading,
  { pictures, log, now, newRequestId }: ReadingMeans,
): Promise<ReadPicture | null> {
  const requestId = newRequestId()
  const startedAt = now()
  const tell = (outcome: string) => {
    const durationMs = now() - startedAt
    log.info('picture.read', { uri: uri.slice(0, 128), requestId, principal: principalId, durationMs, outcome })
  }
  try {
    const read = await untilAborted(pictures.read(principalId, uri), signal)
    tell(read === null ? 'unknown' : 'success')
    return read
  } catch (error) {
    const known = error instanceof ToolError ? error : internalError(requestId)
    if (known !== error) log.error('picture.undrawn', { requestId, error })
    tell(known.code)
    throw known
  }
}

type Reading = { readonly principalId: string; readonly uri: string; readonly signal: AbortSignal }

type ReadingMeans = {
  readonly pictures: ChartStore
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  readonly newRequestId: () => string
}
