import { ToolError } from '../../tool-error.ts'

/** A `VALIDATION_FAILED` naming one member of the request and what it takes. */
export function refuseField(field: string, message: string, accepted: string): ToolError {
  return new ToolError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message, accepted }] })
}
