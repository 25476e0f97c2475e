import { pictureOf, type Drawing } from './drawing.ts'
import { canRenderPng, renderPng } from './render-png.ts'
import { renderSvg } from './render-svg.ts'

/** Pictures of answers, kept for a while so that a client can read one as a resource. Each is its principal's alone. */
export type PictureShelf = {
  /** Keeps a picture, in place of the oldest where there are too many, and names what can be read of it. */
  put(kept: KeptPicture): readonly PictureLink[]
  list(principalId: string): readonly PictureLink[]
  /** `null` where this principal has no such picture, or has it no longer. Drawn at each reading. */
  read(principalId: string, uri: string): Promise<ReadPicture | null>
}

export type KeptPicture = { readonly principalId: string; readonly tool: string; readonly drawing: Drawing }

export type PictureLink = {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly mimeType: string
}

export type ReadPicture = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

/** `newId` gives names nobody can guess; `now` is in Unix milliseconds. */
export function createPictureShelf({
  newId,
  now,
}: {
  readonly newId: () => string
  readonly now: () => number
}): PictureShelf {
  const shelf = new Map<string, KeptPicture & { readonly until: number }>()
  const ofPrincipal = (principalId: string) => [...shelf].filter(([, kept]) => kept.principalId === principalId)
  const sweep = () => {
    for (const [id, { until }] of shelf) if (until <= now()) shelf.delete(id)
  }
  return Object.freeze({
    put(kept: KeptPicture) {
      sweep()
      const own = ofPrincipal(kept.principalId)
      const oldest = own.length >= mostOfOne ? own[0]?.[0] : shelf.size >= mostOfAll ? [...shelf.keys()][0] : undefined
      if (oldest !== undefined) shelf.delete(oldest)
      const id = newId()
      shelf.set(id, { ...kept, until: now() + keptForMs })
      return linksTo(id, kept)
    },
    list(principalId: string) {
      sweep()
      return ofPrincipal(principalId).flatMap(([id, kept]) => linksTo(id, kept))
    },
    async read(principalId: string, uri: string) {
      sweep()
      const [, id = '', format] = /^svc:\/\/charts\/([0-9a-f-]{36})\.(svg|png)$/.exec(uri) ?? []
      const kept = shelf.get(id)
      if (kept === undefined || kept.principalId !== principalId) return null
      const svg = await renderSvg(pictureOf(kept.drawing))
      if (format === 'svg') return { uri, mimeType: formats.svg, text: svg }
      return { uri, mimeType: formats.png, blob: Buffer.from(await renderPng(svg)).toString('base64') }
    },
  })
}

function linksTo(id: string, { tool }: KeptPicture): PictureLink[] {
  return Object.entries(canRenderPng() ? formats : { svg: formats.svg }).map(([format, mimeType]) => ({
    type: 'resource_link',
    uri: `svc://charts/${id}.${format}`,
    name: `${tool}.${format}`,
    title: `Picture of ${tool} (${format.toUpperCase()}), kept for an hour`,
    mimeType,
  }))
}

const formats = { svg: 'image/svg+xml', png: 'image/png' } as const
const keptForMs = 3_600_000
const mostOfOne = 16
const mostOfAll = 256
