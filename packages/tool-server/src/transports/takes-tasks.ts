import { isRecord } from '@svc/runtime'
import { tasksExtension } from './protocol-facts.ts'

/** Whether a client says, with the request itself, that it takes a task for an answer. */
export function takesTasks(capabilities: unknown): boolean {
  if (!isRecord(capabilities) || !isRecord(capabilities['extensions'])) return false
  return isRecord(capabilities['extensions'][tasksExtension])
}
