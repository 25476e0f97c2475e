import { ToolError } from '@svc/amm'

/** What a caller hears of a fault of ours: an id under which the log tells the rest. */
export function internalError(requestId: string): ToolError {
  return new ToolError('INTERNAL', `Something went wrong inside the server (correlation id ${requestId}).`, {
    details: [{ message: 'Correlation id for the operator.', requestId }],
  })
}
