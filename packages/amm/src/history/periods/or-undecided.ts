import { ToolError } from '../../tool-error.ts'

/** Null for what fails, which decides nothing; ToolError `CANCELLED` where the caller left. */
export async function orUndecided<Outcome>(work: Promise<Outcome>, signal?: AbortSignal): Promise<Outcome | null> {
  try {
    return await work
  } catch {
    if (signal?.aborted !== true) return null
    throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
  }
}
