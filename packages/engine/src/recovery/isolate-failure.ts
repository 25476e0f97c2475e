import { ToolError } from '@svc/amm'
import type { Engine } from '../context/engine.ts'

/**
 * Does one piece of clearing up by itself: what fails is logged under `event` and keeps neither the next piece nor a write
 * from going on. Throws `STORAGE_UNAVAILABLE` alone: without our own state nothing may be signed.
 */
export async function isolateFailure(
  { log }: Pick<Engine, 'log'>,
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
