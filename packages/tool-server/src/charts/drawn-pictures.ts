import type { DrawingRequest } from './drawing.ts'

/**
 * Pictures that were drawn already, so that reading one again costs nothing: those asked for last, up to so many bytes of all
 * together. Who asks for one that is being drawn waits for it with the others. A drawing that failed is not kept.
 */
export function createDrawnPictures(draw: Draw, mostBytes = 16 * 1024 * 1024) {
  const underway = new Map<string, Promise<Drawn>>()
  const kept = new Map<string, Drawn>()
  let bytes = 0

  const drop = (name: string) => {
    bytes -= kept.get(name)?.length ?? 0
    kept.delete(name)
  }
  const keep = (name: string, picture: Drawn) => {
    drop(name)
    kept.set(name, picture)
    bytes += picture.length
    for (const oldest of kept.keys()) {
      if (bytes <= mostBytes) return
      drop(oldest)
    }
  }
  const begin = async (name: string, request: DrawingRequest, principalId: string) => {
    try {
      const picture = await draw(request, principalId)
      keep(name, picture)
      return picture
    } finally {
      underway.delete(name)
    }
  }
  return {
    /** The picture of that name, drawn as asked where it is not there yet. Rejects as `draw` does. */
    async of(name: string, request: DrawingRequest, principalId: string): Promise<Drawn> {
      const known = kept.get(name)
      if (known !== undefined) {
        keep(name, known)
        return known
      }
      const drawing = underway.get(name) ?? begin(name, request, principalId)
      underway.set(name, drawing)
      return drawing
    },
  }
}

/** An SVG as text, or the bytes of a PNG. */
export type Drawn = string | Uint8Array

type Draw = (request: DrawingRequest, principalId: string) => Promise<Drawn>
