import { isRecord } from '@svc/runtime'
import { tasksExtension } from './protocol-facts.ts'

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
