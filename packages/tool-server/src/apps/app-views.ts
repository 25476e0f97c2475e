import { existsSync, readFileSync } from 'node:fs'
import { viewsFolder } from './views-folder.ts'

/**
 * The MCP App views: pages that a client which shows them (`showsViews`) puts beside an answer. Each is one file without
 * outside parts, made when the server is built; a server built without them has none.
 */
export const appViews = createAppViews(viewsFolder())

/** Those of the views that are in a folder now. */
export function createAppViews(folder: URL | null): AppViews {
  const fileOf = (name: string) => {
    if (folder === null) return undefined
    const file = new URL(`${name}.html`, folder)
    return existsSync(file) ? file : undefined
  }
  return Object.freeze({
    list: () =>
      Object.entries(titles).flatMap(([name, title]) =>
        fileOf(name) === undefined ? [] : [{ uri: viewUri(name), name, title, mimeType: viewMimeType, _meta: demands }],
      ),
    read(uri: string) {
      const name = Object.keys(titles).find((one) => viewUri(one) === uri)
      const file = name === undefined ? undefined : fileOf(name)
      if (file === undefined) return null
      return { uri, mimeType: viewMimeType, text: readFileSync(file, 'utf8'), _meta: demands }
    },
    uriOf: (name: ViewName) => (fileOf(name) === undefined ? null : viewUri(name)),
  })
}

export type AppViews = {
  /** What `resources/list` says of them. */
  list(): readonly ListedView[]
  /** `null` where there is none of this name. */
  read(uri: string): ReadView | null
  /** The address of a view, for the definition of the tool that it belongs to; `null` where it was not built. */
  uriOf(name: ViewName): string | null
}

export type ViewName = keyof typeof titles

/** A page that asks nothing of its host: no other origin, no frame, no device. */
export type ViewDemands = {
  readonly ui: {
    readonly csp: { readonly connectDomains: string[]; readonly resourceDomains: string[] }
    readonly prefersBorder: true
  }
}

export type ListedView = {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly mimeType: string
  readonly _meta: ViewDemands
}

export type ReadView = {
  readonly uri: string
  readonly mimeType: string
  readonly text: string
  readonly _meta: ViewDemands
}

/** Whether a client says that it shows MCP Apps, as the extension has it: `io.modelcontextprotocol/ui` with this kind of page. */
export function showsViews(capabilities: unknown): boolean {
  const settings = member(member(capabilities, 'extensions'), 'io.modelcontextprotocol/ui')
  const mimeTypes = member(settings, 'mimeTypes')
  return Array.isArray(mimeTypes) && mimeTypes.includes(viewMimeType)
}

const viewMimeType = 'text/html;profile=mcp-app'

const titles = {
  'lp-range': 'Price fan, candidate ranges, and fees against loss',
  'lp-backtest': 'Equity of each strategy, its ranges and rebalances',
}

const demands: ViewDemands = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } }

function viewUri(name: string): string {
  return `ui://svc/${name}.html`
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
