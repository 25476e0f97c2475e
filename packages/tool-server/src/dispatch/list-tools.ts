import * as z from 'zod'
import { appViews } from '../apps/app-views.ts'
import { may } from '../auth/may.ts'
import type { Principal } from '../auth/principal.ts'
import type { Tool } from '../tool.ts'

/** A tool as `tools/list` shows it. */
export type ListedTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObjectSchema
  readonly outputSchema: JsonObjectSchema
  readonly annotations: Tool['annotations']
  /** The view of its answers, for clients that show such. */
  readonly _meta?: { readonly ui: { readonly resourceUri: string } }
}

export type JsonObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown }

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

/** The definition of one tool, its schemas in JSON Schema 2020-12 (the dialect MCP assumes, so it is not repeated). */
export function listTool(tool: Tool): ListedTool {
  return Object.freeze({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: defers(tool) ? writeOutputSchema(tool.output) : jsonSchema(tool.output, 'output'),
    annotations: tool.annotations,
  })
}

function withView({ tool, listed }: { readonly tool: Tool; readonly listed: ListedTool }): ListedTool {
  const resourceUri = tool.view === null ? null : appViews.uriOf(tool.view)
  return resourceUri === null ? listed : Object.freeze({ ...listed, _meta: { ui: { resourceUri } } })
}

/** Whether a tool may answer with a plan: those that act on stored writes say themselves what they answer. */
function defers({ access, scope }: Tool): boolean {
  return access === 'write' && scope !== 'of-operation'
}

/**
 * A write tool answers with its result, with a plan, or with an operation that waits for its time. Clients check
 * structured content against the listed schema, so it allows all three: every member optional, and theirs beside them.
 */
function writeOutputSchema(output: z.ZodObject): JsonObjectSchema {
  const schema = jsonSchema(output, 'output')
  const { required: _required, ...rest } = schema
  const properties =
    typeof schema['properties'] === 'object' && schema['properties'] !== null ? schema['properties'] : {}
  return {
    ...rest,
    type: 'object',
    properties: {
      ...properties,
      status: { type: 'string', description: 'success; planned or scheduled: nothing signed' },
      plan: { type: 'object' },
      operationId: { type: 'string' },
      executeAfter: { type: 'string' },
    },
  }
}

/**
 * Every client pays for these words in every conversation. So an output schema keeps what a reader of results needs (its
 * check is `checkOutput`'s): it stays open, and lists its own members as required, not those of nested objects, whose
 * presence the server's instructions promise once.
 */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema: node, path }) => {
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
      if (io === 'output' && path.length > 0) delete node.required
      if (io === 'output' && node.const !== undefined) delete node.type
      if (io === 'output' && node.properties !== undefined) delete node.additionalProperties
      // The names of a record are always text in JSON.
      delete node.propertyNames
    },
  })
  return { ...rest, type: 'object' }
}
