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
