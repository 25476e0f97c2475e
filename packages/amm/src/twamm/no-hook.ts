import { ToolError } from '../tool-error.ts'

/** What an order cannot be placed for. */
export function noHook(message: string, field: string): ToolError {
  return new ToolError('NO_TWAMM_HOOK', message, {
    details: [{ field, message, accepted: 'a v4 pool that stands under its hook in twammHooks of the policy' }],
  })
}
