import type { ChartSpec, ChartRequest } from './chart-spec.ts'
import { canRenderPng } from './render-png.ts'

/** Pictures of answers, kept for a while so that a client can read one as a resource. Each is its principal's alone. */
export type ChartStore = {
  /** Keeps what a picture is made of, in place of the oldest where there are too many, and names what can be read of it. */
  put(kept: KeptChart): readonly PictureLink[]
  list(principalId: string): readonly PictureLink[]
  /**
   * `null` where this principal has no such picture, or has it no longer. Drawn at the first reading: an SVG in the colours that its
   * viewer prefers and a PNG in light ones unless `?theme=` says which, a thousand pixels wide unless `?width=` says how many. Rejects as
   * `draw` does.
   */
  read(principalId: string, uri: string): Promise<ReadPicture | null>
}

export type KeptChart = { readonly principalId: string; readonly tool: string; readonly drawing: ChartSpec }

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

export type ChartStoreOptions = {
  /** Gives names nobody can guess. */
  readonly newId: () => string
  /** Unix milliseconds. */
  readonly now: () => number
  /** An SVG as text, or the bytes of a PNG. */
  readonly draw: (request: ChartRequest, principalId: string) => Promise<string | Uint8Array>
}

export function createChartStore({ newId, now, draw }: ChartStoreOptions): ChartStore {
  const drawn = createDrawnPictures(draw)
  const chartStore = new Map<string, Entry>()
  const ofPrincipal = (principalId: string) => [...chartStore].filter(([, kept]) => kept.principalId === principalId)
  const sweep = () => {
    for (const [id, { until }] of chartStore) if (until <= now()) chartStore.delete(id)
  }
  return Object.freeze({
    put(kept: KeptChart) {
      sweep()
      const own = ofPrincipal(kept.principalId)
      const oldest =
        own.length >= mostOfOne ? own[0]?.[0] : chartStore.size >= mostOfAll ? [...chartStore.keys()][0] : undefined
      if (oldest !== undefined) chartStore.delete(oldest)
      const id = newId()
      const entry = { ...kept, until: now() + keptForMs }
      chartStore.set(id, entry)
      return linksTo(id, entry)
    },
    list(principalId: string) {
      sweep()
      return ofPrincipal(principalId).flatMap(([id, kept]) => linksTo(id, kept))
    },
    async read(principalId: string, uri: string) {
      sweep()
      const [, id = '', format, query] = readable.exec(uri) ?? []
      const kept = chartStore.get(id)
      const look = lookOf(query)
      if (kept?.principalId !== principalId || !isFormat(format) || look === null) return null
      const { theme, width } = look
      const name = [id, format, theme, width].join('.')
      const picture = await drawn.of(name, { drawing: kept.drawing, theme, width, format }, principalId)
      const named = { uri, mimeType: formats[format] }
      if (typeof picture === 'string') return { ...named, text: picture }
      return { ...named, blob: Buffer.from(picture).toString('base64') }
    },
  })
}

const readable = /^svc:\/\/charts\/([0-9a-f-]{36})\.(svg|png)(?:\?(.*))?$/

/** What the end of a URI asks for; `null` where it is none of ours. */
function lookOf(query: string | undefined): Pick<ChartRequest, 'theme' | 'width'> | null {
  if (query === undefined) return {}
  const asked = new URLSearchParams(query)
  const [theme, width] = [asked.get('theme'), asked.get('width')]
  const isKnown = [...asked.keys()].every((name) => name === 'theme' || name === 'width') && query !== ''
  if (!isKnown || (theme !== null && !isTheme(theme)) || (width !== null && !/^\d{3,4}$/.test(width))) return null
  const pixels = width === null ? undefined : Number(width)
  if (pixels !== undefined && (pixels < leastWidth || pixels > mostWidth)) return null
  return { theme: theme ?? undefined, width: pixels }
}

const leastWidth = 320
const mostWidth = 2_000

/** `until` in Unix milliseconds. */
type Entry = KeptChart & { readonly until: number }

function linksTo(id: string, { tool, drawing, until }: Entry): PictureLink[] {
  const title = titleOf(drawing, new Date(until - keptForMs))
  return Object.entries(canRenderPng() ? formats : { svg: formats.svg }).map(([format, mimeType]) => ({
    type: 'resource_link',
    uri: `svc://charts/${id}.${format}`,
    name: `${tool}.${format}`,
    title: `${title} (${format.toUpperCase()}), kept for an hour; dark with ?theme=dark, narrow with ?width=360`,
    mimeType,
  }))
}

function titleOf(drawing: ChartSpec, madeAt: Date): string {
  const [what, { pair, fee }] = drawing.kind === 'range' ? ['Range', drawing.result] : ['Backtest', drawing.curves]
  return `${what} of ${pair} ${fee / 10_000} %, ${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const formats = { svg: 'image/svg+xml', png: 'image/png' } as const

function isFormat(format: string | undefined): format is keyof typeof formats {
  return format === 'svg' || format === 'png'
}

function isTheme(theme: string): theme is 'light' | 'dark' {
  return theme === 'light' || theme === 'dark'
}

const keptForMs = 3_600_000
const mostOfOne = 16
const mostOfAll = 256

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
  const begin = async (name: string, request: ChartRequest, principalId: string) => {
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
    async of(name: string, request: ChartRequest, principalId: string): Promise<Drawn> {
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
type Drawn = string | Uint8Array

type Draw = (request: ChartRequest, principalId: string) => Promise<Drawn>
