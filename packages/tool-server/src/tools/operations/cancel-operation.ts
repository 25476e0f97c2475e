import * as z from 'zod'
import { operationTool } from '../../tool.ts'
import { operationIdInput } from '../params.ts'

export const cancelOperation = operationTool({
  name: 'cancel_operation',
  title: 'Cancel an operation',
  description:
    'Cancels a plan, a request for approval or a scheduled operation of this key before it runs. Refused once it runs or has ended: a transaction that is out is not taken back.',
  destructive: false,
  idempotent: true,
  openWorld: false,
  input: z.strictObject({ operationId: operationIdInput }),
  output: z.object({ operationId: z.string(), state: z.string(), tool: z.string(), timestamp: z.string() }),
}).handler(async (input, context) => {
  const { operationId, state, tool } = await context.operations.cancel(input.operationId)
  return { operationId, state, tool, timestamp: new Date(context.now()).toISOString() }
})
