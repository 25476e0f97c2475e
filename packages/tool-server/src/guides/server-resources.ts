import { errorTable, ToolError } from '@svc/amm'
import type { Principal, LatestAudit } from '@svc/engine'
import { may, requireAccess, type OfferedTools } from '../dispatch/offered-tools.ts'
import { type CallResult, internalError } from '../dispatch/call-result.ts'
import { printable, type Log } from '@svc/runtime'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { Ports } from '../ports.ts'

/**
 * The resources of the server itself. What a tool reads is the answer of that tool, by the pipeline of a call: it says the same, is logged the
 * same, and is refused the same.
 */
export function createServerResources(deps: GuideDeps): ServerResources {
  const { tools, latestAudit } = deps
  return Object.freeze({
    list: (principal: Principal) => [
      ...toolResources.filter(({ tool }) => tools.isOpenTo(principal, tool)).map(listResource),
      listResource(errorCatalogue),
      ...(latestAudit !== null && may(principal, auditLog) ? [listResource(auditLog)] : []),
    ],
    templates: (principal: Principal) =>
      tools.isOpenTo(principal, positionTemplate.tool) ? [listTemplate(positionTemplate)] : [],
    async read(reading: ResourceReading) {
      const { uri, principal, signal } = reading
      const asked = callOf(uri)
      const text =
        asked === null
          ? await readOwn(reading, deps)
          : answerOf(await deps.call({ name: asked.tool, arguments: asked.arguments, principal, signal }))
      return text === null ? null : { uri, mimeType, text }
    },
  })
}

export type ServerResources = {
  /** Those that the principal may read. */
  list(principal: Principal): ListedResource[]
  templates(principal: Principal): ListedTemplate[]
  /** `null` where the server has none of this address. Rejects with the `ToolError` that the tool behind it would answer. */
  read(reading: ResourceReading): Promise<{ uri: string; mimeType: string; text: string } | null>
}

export type ResourceReading = { readonly uri: string; readonly principal: Principal; readonly signal: AbortSignal }

/** Mutable in type alone, as the results of the protocol library are. */
export type ListedResource = { uri: string; name: string; title: string; description: string; mimeType: string }

export type ListedTemplate = Omit<ListedResource, 'uri'> & { uriTemplate: string }

/** A position by its chain and id; `?version=v3` or `?version=v4` says which where the wallet has neither, or both. */
export const positionTemplate = {
  uri: 'svc://positions/{chain}/{id}',
  variables: ['chain', 'id'],
  tool: 'get_position',
  name: 'position',
  title: 'Liquidity position',
  description:
    'A v3 or v4 position, as get_position shows it. End with ?version=v3 or ?version=v4 where it is not the wallet of this server that holds it.',
} as const

const toolResources = [
  {
    uri: 'svc://chains',
    tool: 'list_supported_chains',
    name: 'chains',
    title: 'Chains',
    description: 'The chains of this server and whether their endpoints answer, as list_supported_chains shows them.',
  },
  {
    uri: 'svc://policy',
    tool: 'check_safety_status',
    name: 'policy',
    title: 'Limits and safety',
    description:
      'What the policy lets you spend and what is left of it, pause and circuit breaker, as check_safety_status shows them.',
  },
] as const

const errorCatalogue = {
  uri: 'svc://errors',
  name: 'errors',
  title: 'Error codes',
  description: 'Every code that a tool answers with, whether a retry may help, and what to do.',
}

/** Who may list its stored writes may read what was done about them; only who may see all limits sees what others did. */
const auditLog = {
  uri: 'svc://audit/latest',
  name: 'audit',
  title: 'Latest audit lines',
  description:
    'The newest lines of the audit log about your own calls; with the scope admin:wallet those of everybody.',
  tier: 'read',
  scope: 'read:portfolio',
} as const

const mimeType = 'application/json'
const positionUri = /^svc:\/\/positions\/([^/?#]+)\/([^/?#]+)(?:\?version=([^&#]*))?$/

/** The call that a resource is the answer of; `null` for the others. */
function callOf(uri: string): { readonly tool: string; readonly arguments: Readonly<Record<string, string>> } | null {
  const fixed = toolResources.find((resource) => resource.uri === uri)
  if (fixed !== undefined) return { tool: fixed.tool, arguments: {} }
  const [, chain, positionId, version] = positionUri.exec(uri) ?? []
  if (chain === undefined || positionId === undefined) return null
  const [tool, named] = [positionTemplate.tool, version === undefined ? {} : { version: decoded(version) }]
  return { tool, arguments: { chain: decoded(chain), positionId: decoded(positionId), ...named } }
}

/** What is not well encoded is what it says: the tool refuses it by its field. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The text of an answer, or its error thrown. */
function answerOf({ content: [first], _meta: meta }: CallResult): string {
  const error = meta?.['svc/error']
  if (error !== undefined) throw new ToolError(error.code, error.message, error)
  if (first?.type !== 'text') throw new TypeError('An answer of a tool begins with its text.')
  return first.text
}

/** What no tool reads; one line of the log for each reading. */
async function readOwn(reading: ResourceReading, deps: GuideDeps): Promise<string | null> {
  const { uri, principal } = reading
  if (uri === errorCatalogue.uri) return errorsText
  if (uri !== auditLog.uri) return null
  const [requestId, startedAt] = [deps.newRequestId(), deps.now()]
  const report = (outcome: string) =>
    deps.log.info('resource.read', {
      uri,
      requestId,
      principal: principal.id,
      durationMs: deps.now() - startedAt,
      outcome,
    })
  try {
    const text = await readAudit(principal, deps)
    report('success')
    return text
  } catch (error) {
    const known = error instanceof ToolError ? error : internalError(requestId)
    if (known !== error) deps.log.error('resource.unread', { uri, requestId, error })
    report(known.code)
    throw known
  }
}

async function readAudit(principal: Principal, { latestAudit, now }: GuideDeps): Promise<string> {
  requireAccess({ ...auditLog, name: auditLog.uri }, principal)
  if (latestAudit === null) {
    throw new ToolError('WALLET_NOT_CONFIGURED', 'The audit log is kept beside a wallet, and none is configured.')
  }
  const seesAll = principal.scopes.has('admin:wallet')
  return formatAudit(await latestAudit(seesAll ? null : principal.id), now())
}

const errorsText = JSON.stringify({
  items: Object.entries(errorTable).map(([code, row]) => Object.assign({ code }, row)),
})

function listResource({ uri, name, title, description }: Omit<ListedResource, 'mimeType'>): ListedResource {
  return { uri, name, title, description, mimeType }
}

function listTemplate({ uri: uriTemplate, name, title, description }: typeof positionTemplate): ListedTemplate {
  return { uriTemplate, name, title, description, mimeType }
}

type AuditLine = LatestAudit['lines'][number]

/**
 * Lines of the audit log as JSON for a caller, newest first: so many and so long that one answer holds them, in printable ASCII, without the
 * hashes, which prove nothing of a part.
 */
export function formatAudit({ lines, isCut }: LatestAudit, nowMs: number): string {
  const shown: object[] = []
  let size = 0
  for (const line of lines.slice(0, mostLines)) {
    const fitting = fittingLine(line)
    size += JSON.stringify(fitting).length
    if (size > mostCharacters) break
    shown.push(fitting)
  }
  const notes = [
    ...(shown.some((line) => 'shortened' in line) ? [shortenedNote] : []),
    ...(isCut || shown.length < lines.length ? [olderNote] : []),
  ]
  const answer = { lines: shown, notes, timestamp: new Date(nowMs).toISOString(), source: 'audit' }
  return printable(JSON.stringify(answer), Number.POSITIVE_INFINITY)
}

const mostLines = 50
const mostCharacters = 48_000
const mostOfOne = 4_000
const shortenedNote = 'Of lines with "shortened" the facts are left out; svc audit show --request has them.'
const olderNote = 'Older lines are not shown; svc audit show has them.'

function fittingLine({ v: _version, prevHash: _previous, hash: _hash, ...line }: AuditLine): object {
  if (JSON.stringify(line).length <= mostOfOne) return line
  const { seq, ts, event, requestId, actor, tool } = line
  const named = typeof tool === 'string' ? { tool: tool.slice(0, 64) } : {}
  return { seq, ts, event, requestId, ...named, actor: { principal: actor?.principal }, shortened: true }
}

/** What prompts, resources and completions reach. */
export type GuideDeps = {
  readonly tools: Pick<OfferedTools, 'require' | 'isOpenTo'>
  readonly chains: Ports['chains']
  /** The pipeline of a call. */
  readonly call: (request: CallRequest) => Promise<CallResult>
  /** Of one principal, or of all where it is `null`; `null` itself where no audit log is written. */
  readonly latestAudit: ((principalId: string | null) => Promise<LatestAudit>) | null
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  readonly newRequestId: () => string
}

/** Throws what a call of the tool would be refused with before its arguments are read. */
export function requireTool(tools: Pick<OfferedTools, 'require'>, principal: Principal, name: string): void {
  requireAccess(tools.require(name), principal)
}
