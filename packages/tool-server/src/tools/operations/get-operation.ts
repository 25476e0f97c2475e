import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { orderResult } from '../order-result.ts'
import { operationIdInput } from '../params.ts'
import { operationResult } from '../results.ts'

export const getOperation = readTool({
  name: 'get_operation',
  title: 'Operation',
  description:
    'State of a write that waits or waited: plan, who decided, when it runs, result or error; of a signed order: open, filled, expired or cancelled, by the chain. Only those of this key.',
  scope: 'read:portfolio',
  inDataProfile: false,
  openWorld: false,
  input: z.strictObject({ operationId: operationIdInput }),
  output: z.object({
    ...operationResult,
    planHash: z.string(),
    decidedBy: z.string().nullable(),
    decidedAt: z.string().nullable(),
    plan: z.looseObject({}),
    result: z.looseObject({}).nullable(),
    error: z.looseObject({}).nullable(),
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async (input, context) => {
  const { order, ...view } = await context.operations.get(input.operationId)
  const stamp = { timestamp: new Date(context.now()).toISOString(), source: order === undefined ? 'records' : 'rpc' }
  if (order !== undefined) return { ...view, result: await orderResult(order, context), ...stamp }
  return { ...view, ...stamp }
})
