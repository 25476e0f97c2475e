import { appViews } from '../apps/app-views.ts'
import { may } from '../auth/may.ts'
import type { Principal } from '../auth/principal.ts'
import type { Tool } from '../tool.ts'
import { toolSchemas, type ToolSchemas } from './tool-schemas.ts'

/** A tool as `tools/list` shows it. */
export type ListedTool = ToolSchemas & {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Tool['annotations']
  /** The view of its answers, for clients that show such. */
  readonly _meta?: { readonly ui: { readonly resourceUri: string } }
}

/** What one class of principals sees: sorted by name, the same bytes every time. */
export type ToolList = {
  readonly tools: ListedTool[]
  /** The serialised `tools` array. */
  readonly json: string
}

/** Builds every definition once and keeps one list per class of principals (a tier of keys, or a set of scopes). */
export function createToolLists(tools: readonly Tool[]): (principal: Principal, views?: boolean) => ToolList {
  const entries = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => ({ tool, listed: listTool(tool) }))
  const lists = new Map<string, ToolList>()
  return (principal, views = false) => {
    const classKey = `${principal.tier ?? [...principal.scopes].toSorted().join(' ')}${views ? ' with views' : ''}`
    const known = lists.get(classKey)
    if (known !== undefined) return known
    const visible = entries
      .filter(({ tool }) => may(principal, tool))
      .map((entry) => (views ? withView(entry) : entry.listed))
    const list = Object.freeze({ tools: visible, json: JSON.stringify(visible) })
    lists.set(classKey, list)
    return list
  }
}

/** The definition of one tool. */
export function listTool(tool: Tool): ListedTool {
  return Object.freeze({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    ...toolSchemas(tool),
    annotations: tool.annotations,
  })
}

function withView({ tool, listed }: { readonly tool: Tool; readonly listed: ListedTool }): ListedTool {
  const resourceUri = tool.view === null ? null : appViews.uriOf(tool.view)
  return resourceUri === null ? listed : Object.freeze({ ...listed, _meta: { ui: { resourceUri } } })
}
