import type { StoreError } from '@svc/store'
import { ToolError } from '@svc/amm'

/** Runs work on our own state. Whatever fails there becomes `STORAGE_UNAVAILABLE`: nothing is signed without it. */
export async function onStorage<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ToolError) throw cause
    const refused = refusedByStore(cause)
    if (refused !== null) throw refused
    throw new ToolError('STORAGE_UNAVAILABLE', `The server's own state is not available: ${what}.`, { cause })
  }
}

/** What the store refuses for a reason of its own, `null` for what failed in it. */
export function refusedByStore(cause: unknown): ToolError | null {
  if (!isStoreError(cause)) return null
  if (cause.code === 'NOT_LEADER') return new ToolError('NOT_LEADER', cause.message, { cause })
  return cause.code === 'STORE_PAUSED'
    ? new ToolError('SERVER_PAUSED', 'The operator has paused signing.', { cause })
    : null
}

/** By its name: a server without state loads no store. */
function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError'
}

/**
 * Does one piece of clearing up by itself: what fails is logged under `event` and keeps neither the next piece nor a write
 * from going on. Throws `STORAGE_UNAVAILABLE` alone: without our own state nothing may be signed.
 */
export async function isolateFailure(
  { log }: { readonly log: PipelineLog },
  event: string,
  facts: Readonly<Record<string, unknown>>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ToolError && endsAll.has(error.code)) throw error
    log.warn(event, { ...facts, error })
  }
}

const endsAll: ReadonlySet<string> = new Set(['STORAGE_UNAVAILABLE', 'NOT_LEADER'])

/** What the pipeline needs of the process's log. */
export type PipelineLog = {
  debug(event: string, facts?: Readonly<Record<string, unknown>>): void
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}
