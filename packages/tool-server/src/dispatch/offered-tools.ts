import type { Principal, Scope, KeyTier } from '@svc/engine'
import { ToolError } from '@svc/amm'
import type { Tool, ToolFacts } from '../tool.ts'
import { quoteUntrusted } from './call-result.ts'
import { appViews } from '../apps/app-views.ts'
import { isInToolsets, type OfferedToolsets } from '../config/toolsets.ts'
import { toolSchemas, type ToolSchemas } from './tool-schemas.ts'

/** `learning` has the tools of `full`, and answers of theirs that take memory into account. */
export type Profile = 'data' | 'full' | 'learning'

/** The tools that a server knows, and those of them that its profile and toolsets offer; every list is made here, never per call. */
export function createOfferedTools(
  tools: readonly Tool[],
  profile: Profile,
  /** Names of tools of other profiles alone, whose code need not be there. */
  elsewhere: readonly string[] = [],
  toolsets: OfferedToolsets = null,
): OfferedTools {
  const known = new Map(tools.map((tool) => [tool.name, tool]))
  const offers = (tool: ToolFacts) => isOffered(tool, profile, toolsets)
  const outside = (name: string) =>
    new ToolError(
      'TOOL_NOT_IN_PROFILE',
      `${name} is not part of the profile "${profile}".`,
      profile === 'data' ? { suggestion: readsAlone } : {},
    )
  return Object.freeze({
    list: createToolLists(tools.filter(offers)),
    get: (name: string) => known.get(name) ?? null,
    has: (name: string) => known.has(name) || elsewhere.includes(name),
    require(name: string) {
      const tool = known.get(name)
      if (elsewhere.includes(name)) throw outside(name)
      if (tool === undefined) {
        throw new ToolError('TOOL_NOT_FOUND', `This server has no tool ${quoteUntrusted(name)}.`)
      }
      if (!isOffered(tool, profile)) throw outside(name)
      requireToolset(name, toolsets)
      return tool
    },
    isOpenTo(principal: Principal, name: string) {
      const tool = known.get(name)
      return tool !== undefined && offers(tool) && may(principal, tool)
    },
    missingScope(principal: Principal, name: string) {
      const tool = known.get(name)
      if (tool === undefined || !offers(tool) || may(principal, tool)) return null
      return principal.tier === null && tool.scope !== 'of-operation' ? tool.scope : null
    },
  })
}

const readsAlone =
  'This server only reads. For writes its operator sets a managed wallet up: svc setup production (docs/production.md). tools/list has what there is.'

/** Throws `TOOL_NOT_IN_PROFILE`, as for a tool outside of the profile. */
function requireToolset(name: string, toolsets: OfferedToolsets): void {
  if (isInToolsets(name, toolsets)) return
  const offered = toolsets?.join(', ')
  throw new ToolError(
    'TOOL_NOT_IN_PROFILE',
    `${name} is not part of the toolsets that this server offers: ${offered}.`,
    {
      suggestion: 'Call tools/list for the tools of this server; its operator can name more sets in SVC_MCP_TOOLSETS.',
    },
  )
}

/** The tool with its schemas and its handler, which the production server reads with the first call. */
export async function wholeTool(tool: ToolFacts): Promise<Tool> {
  // Without `read` it is whole already.
  return tool.read === undefined ? (tool as Tool) : tool.read()
}

/** Whether a server of this profile and these toolsets has the tool at all, whoever asks. */
export function isOffered(
  tool: Pick<Tool, 'name' | 'inDataProfile'>,
  profile: Profile,
  toolsets: OfferedToolsets = null,
): boolean {
  return (profile !== 'data' || tool.inDataProfile) && isInToolsets(tool.name, toolsets)
}

export type OfferedTools = {
  /** What a principal may call, as `tools/list` shows it. */
  list(principal: Principal, shown?: ShownWithTools): ToolList
  /** Offered or not; `null` for none, and for one whose code is not there. */
  get(name: string): ToolFacts | null
  /** Whether there is such a tool, in this profile or another. */
  has(name: string): boolean
  /** Throws `TOOL_NOT_FOUND`, `TOOL_NOT_IN_PROFILE`. */
  require(name: string): ToolFacts
  /** Whether a call of it by this principal would be let through to its arguments. */
  isOpenTo(principal: Principal, name: string): boolean
  /** The scope for want of which a call of an offered tool would be refused to a principal of scopes. */
  missingScope(principal: Principal, name: string): Scope | null
}

/** What a list holds for the eyes of a person, none of it unless asked for. */
export type ShownWithTools = {
  /** The views of answers, for clients that show such. */
  readonly views?: boolean
  /** An icon of each tool, where a list is asked for once in a session: on answers that stand alone it would weigh too much. */
  readonly icons?: boolean
}

/** A tool as `tools/list` shows it. */
export type ListedTool = ToolSchemas & {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Tool['annotations']
  /** The view of its answers, for clients that show such. */
  readonly _meta?: { readonly ui: { readonly resourceUri: string } }
  readonly icons?: IconImage[]
}

/** What one class of principals sees: sorted by name, the same bytes every time. */
export type ToolList = {
  readonly tools: ListedTool[]
  /** The serialised `tools` array. */
  readonly json: string
}

/**
 * Keeps one list per class of principals (a tier of keys, or a set of scopes). The definitions are made once, when the first
 * list is asked for: most of a start would go into them, and some servers are never asked.
 */
export function createToolLists(tools: readonly Tool[]): OfferedTools['list'] {
  let made: readonly Entry[] | null = null
  const lists = new Map<string, ToolList>()
  return (principal, { views = false, icons = false } = {}) => {
    // A tier and a scope may have one name.
    const caller = principal.tier === null ? `of ${[...principal.scopes].toSorted().join(' ')}` : principal.tier
    const classKey = `${caller}${views ? ' with views' : ''}${icons ? ' with icons' : ''}`
    const known = lists.get(classKey)
    if (known !== undefined) return known
    made ??= tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => ({ tool, listed: listTool(tool) }))
    const visible = made
      .filter(({ tool }) => may(principal, tool))
      .map((entry) => (views ? withView(entry) : entry.listed))
      .map((listed) => (icons ? Object.freeze({ ...listed, icons: [iconOfTool(listed)] }) : listed))
    const list = Object.freeze({ tools: visible, json: JSON.stringify(visible) })
    lists.set(classKey, list)
    return list
  }
}

type Entry = { readonly tool: Tool; readonly listed: ListedTool }

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

function withView({ tool, listed }: Entry): ListedTool {
  const resourceUri = tool.view === null ? null : appViews.uriOf(tool.view)
  return resourceUri === null ? listed : Object.freeze({ ...listed, _meta: { ui: { resourceUri } } })
}

/** What a person sees at a glance of a tool: whether it reads, changes something without taking anything away, or may spend. */
function iconOfTool({ annotations: { readOnlyHint, destructiveHint } }: ListedTool): IconImage {
  if (readOnlyHint) return toolIcons.reads
  return destructiveHint === true ? toolIcons.spends : toolIcons.changes
}

type IconImage = { src: string; mimeType: string; sizes: string[] }

/** A picture of 24 by 24, readable on light and dark. */
export function iconOf(shapes: string): IconImage {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${shapes}</svg>`
  return { src: `data:image/svg+xml;base64,${btoa(svg)}`, mimeType: 'image/svg+xml', sizes: ['any'] }
}

/** A glass, a pencil, and arrows out of the wallet and into it. */
const toolIcons = {
  reads: iconOf('<path d="M10 4a6 6 0 1 0 .1 0zM14 15l6 6" fill="none" stroke="#28c" stroke-width="2"/>'),
  changes: iconOf('<path d="M4 20l1-5L16 4l4 4L9 19z" fill="none" stroke="#889" stroke-width="2"/>'),
  spends: iconOf('<path d="M3 8h16l-4-4M21 16H5l4 4" fill="none" stroke="#d72" stroke-width="2"/>'),
}

/**
 * Whether a principal may call a tool. A key is judged by its tier, a scoped token by its scopes; nothing is judged by a
 * tool's name. A tool that acts on stored writes is open to whoever may write anything: the write itself is judged when
 * it is known.
 */
export function may(principal: Principal, tool: Pick<Tool, 'tier' | 'scope'>): boolean {
  if (principal.tier !== null) return rank[principal.tier] >= rank[tool.tier]
  const { scope } = tool
  return scope === 'of-operation' ? writing.some((one) => principal.scopes.has(one)) : principal.scopes.has(scope)
}

/** Throws `INSUFFICIENT_KEY_TIER` naming what the tool needs. */
export function requireAccess(tool: Pick<Tool, 'name' | 'tier' | 'scope'>, principal: Principal): void {
  if (may(principal, tool)) return
  const { name, scope } = tool
  const lacking = scope === 'of-operation' ? 'any scope that writes' : `the scope ${scope}`
  const message =
    principal.tier === null ? `This token may not call ${name}: it lacks ${lacking}.` : `This key may not call ${name}.`
  throw new ToolError('INSUFFICIENT_KEY_TIER', message, {
    details: [{ message: 'What the tool needs.', tier: tool.tier, scope }],
  })
}

const rank: Readonly<Record<KeyTier, number>> = { read: 0, feedback: 1, write: 2 }

const writing: readonly Scope[] = ['write:trade', 'write:liquidity', 'write:vault', 'admin:wallet']
