import { ToolError } from '../../tool-error.ts'

/** A `VALIDATION_FAILED` naming one member of the request and what it takes. */
export function refuseField(field: string, message: string, accepted: string): ToolError {
  return new ToolError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message, accepted }] })
}

/** An `AMOUNT_TOO_SMALL` naming the member whose amount buys, moves or pays out nothing. */
export function refuseTooSmall(field: string, message: string): ToolError {
  return new ToolError('AMOUNT_TOO_SMALL', `${field}: ${message}`, { details: [{ field, message }] })
}
