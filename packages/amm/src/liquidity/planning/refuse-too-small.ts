import { ToolError } from '../../tool-error.ts'

/** An `AMOUNT_TOO_SMALL` naming the member whose amount buys, moves or pays out nothing. */
export function refuseTooSmall(field: string, message: string): ToolError {
  return new ToolError('AMOUNT_TOO_SMALL', `${field}: ${message}`, { details: [{ field, message }] })
}
