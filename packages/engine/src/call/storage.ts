import { ToolError } from '@svc/amm'

/** Runs work on our own state. Whatever fails there becomes `STORAGE_UNAVAILABLE`: nothing is signed without it. */
export async function onStorage<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ToolError) throw cause
    throw new ToolError('STORAGE_UNAVAILABLE', `The server's own state is not available: ${what}.`, { cause })
  }
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
    if (error instanceof ToolError && error.code === 'STORAGE_UNAVAILABLE') throw error
    log.warn(event, { ...facts, error })
  }
}

/** What the pipeline needs of the process's log. */
export type PipelineLog = {
  debug(event: string, facts?: Readonly<Record<string, unknown>>): void
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}
