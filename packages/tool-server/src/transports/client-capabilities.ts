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
