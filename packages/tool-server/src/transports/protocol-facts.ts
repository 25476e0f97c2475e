import { iconOf } from '../dispatch/offered-tools.ts'
import { isRecord } from '@svc/runtime'

/** What the server says of itself in both eras. */
export type ServerInfo = { readonly name: string; readonly title?: string; readonly version: string }

/** How long a list of tools may be kept: it changes with the server's version and settings only. */
export const listTtlMs = 300_000

/** The revisions with sessions, newest first, as the protocol library speaks them; a test compares. */
export const sessionRevisions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

/** The revision in which every request stands alone. */
export const statelessRevision = '2026-07-28'

/** The extension whose clients take tasks for calls that are answered later. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** What the server says it can do; lists change with its version and settings only. Tasks are of the revision without sessions. */
export function serverCapabilities({ tasks }: { readonly tasks: boolean }) {
  return {
    tools: {},
    prompts: {},
    resources: { subscribe: true },
    completions: {},
    extensions: { 'io.modelcontextprotocol/ui': {}, ...(tasks && { [tasksExtension]: {} }) },
  }
}

/** With an icon, which is said once in a session, and not on answers that stand alone. */
export function infoOfSessions(info: ServerInfo) {
  return { ...info, icons: [serverIcon] }
}

/** What clients may show beside the server's name: a drop between the bounds of a range. */
const serverIcon = iconOf(
  '<path d="M4 4v16M20 4v16" stroke="#889" stroke-width="2"/><path d="M12 4c3 4 5 6 5 9a5 5 0 0 1-10 0c0-3 2-5 5-9z" fill="#28c"/>',
)

/** What a client says it can do in the envelope (`_meta`) that each request of revision 2026-07-28 has. */
export function capabilitiesOfEnvelope(envelope: unknown): unknown {
  return isRecord(envelope) ? envelope['io.modelcontextprotocol/clientCapabilities'] : undefined
}

/** The same in the parameters of `initialize`, which opens a session of the revisions before. */
export function capabilitiesOfHandshake(params: unknown): unknown {
  return isRecord(params) ? params['capabilities'] : undefined
}

/** Whether a client takes a task for an answer. */
export function takesTasks(capabilities: unknown): boolean {
  if (!isRecord(capabilities) || !isRecord(capabilities['extensions'])) return false
  return isRecord(capabilities['extensions'][tasksExtension])
}

/** Whether a client shows forms: `elicitation` with `form`, or, as before there were other kinds, with nothing. */
export function takesForms(capabilities: unknown): boolean {
  if (!isRecord(capabilities) || !isRecord(capabilities['elicitation'])) return false
  const { elicitation } = capabilities
  return Object.keys(elicitation).length === 0 || isRecord(elicitation['form'])
}

/** A client that says no more of itself than its names and its version. */
export function isPlainClient(client: unknown): boolean {
  if (!isRecord(client) || typeof client['name'] !== 'string' || typeof client['version'] !== 'string') return false
  return Object.entries(client).every(([name, value]) => clientMembers.has(name) && typeof value === 'string')
}

const clientMembers: ReadonlySet<string> = new Set(['name', 'version', 'title'])

/** Capabilities that clients state by name alone, for example `{ "elicitation": { "form": {} } }`, and extensions by whatever settings. */
export function isPlainCapabilities(capabilities: unknown): boolean {
  if (!isRecord(capabilities)) return false
  return Object.entries(capabilities).every(([name, value]) => {
    if (!isRecord(value)) return false
    if (name === 'extensions') return Object.values(value).every(isRecord)
    const details = Object.hasOwn(plainCapabilities, name) ? plainCapabilities[name] : undefined
    return details !== undefined && Object.entries(value).every(([key, one]) => details.includes(key) && isEmpty(one))
  })
}

const plainCapabilities: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['context', 'tools'],
  roots: [],
}

export function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0
}
