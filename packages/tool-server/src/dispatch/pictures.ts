import type { Log } from '@svc/runtime'
import type { ChartStore, ReadPicture, PictureLink } from '../charts/chart-store.ts'
import { ToolError, untilAborted } from '@svc/amm'
import { internalError, type Content } from './call-result.ts'
import type { ChartSpec } from '../charts/chart-spec.ts'

/** One line per reading. A picture that cannot be drawn is said so in words of ours; why stands in the log. */
export async function readPicture(
  { principalId, uri, signal }: Reading,
  { pictures, log, now, newRequestId }: ReadingMeans,
): Promise<ReadPicture | null> {
  const requestId = newRequestId()
  const startedAt = now()
  const report = (outcome: string) => {
    const durationMs = now() - startedAt
    log.info('picture.read', { uri: uri.slice(0, 128), requestId, principal: principalId, durationMs, outcome })
  }
  try {
    const read = await untilAborted(pictures.read(principalId, uri), signal)
    report(read === null ? 'unknown' : 'success')
    return read
  } catch (error) {
    const known = error instanceof ToolError ? error : internalError(requestId)
    if (known !== error) log.error('picture.undrawn', { requestId, error })
    report(known.code)
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

/** Collects what the pictures of one answer are made of. A fault of a picture never becomes one of the answer: it is reported, and left out. */
export function createChartCollector(onFault: (error: unknown) => void): DrawingBoard {
  const drawings: ChartSpec[] = []
  let isFaulty = false
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      isFaulty = true
      onFault(error)
    }
  }
  return {
    draw: (drawing) => attempt(() => void drawings.push(drawing())),
    first: () => drawings[0],
    keepWith(keep) {
      const links: PictureLink[] = []
      for (const drawing of drawings) attempt(() => void links.push(...keep(drawing)))
      return isFaulty ? [...links, { type: 'text', text: undrawn }] : links
    },
  }
}

export type DrawingBoard = {
  draw(drawing: () => ChartSpec): void
  first(): ChartSpec | undefined
  /** Where each can be read once it is kept, and a sentence where one is missing. */
  keepWith(keep: (drawing: ChartSpec) => readonly PictureLink[]): readonly Content[]
}

const undrawn = 'The picture of this answer could not be drawn; the answer itself is whole.'
