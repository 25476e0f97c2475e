import { ToolError } from '../tool-error.ts'

/** Why a transaction that somebody else built is not signed. */
export function upstreamRefusal(reason: string, facts: Readonly<Record<string, string>> = {}): ToolError {
  return new ToolError('UNSAFE_TRANSACTION', `The transaction built upstream is not what was asked for: ${reason}.`, {
    details: [{ message: reason, ...facts }],
    suggestion: 'Nothing was signed. Call again for a fresh transaction; if it happens again, tell the operator.',
  })
}
