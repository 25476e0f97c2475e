import type { ChartSpec } from '../charts/chart-spec.ts'
import type { PictureLink } from '../charts/chart-store.ts'
import type { Content } from './call-result.ts'

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
