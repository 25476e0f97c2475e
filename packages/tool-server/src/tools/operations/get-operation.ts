import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { crossChainResult, orderResult } from '../order-result.ts'
import { operationIdInput } from '../params.ts'
import { operationResult } from '../results.ts'

export const getOperation = readTool({
  name: 'get_operation',
  title: 'Operation',
  description:
    'State of a write that waits or waited: plan, who decided, when it runs, result or error; of an order: open, filled, expired, cancelled or refunded, by the chains. Only those of this key.',
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
  const { order, crossChain, ...view } = await context.operations.get(input.operationId)
  const source = order === undefined && crossChain === undefined ? 'records' : 'rpc'
  const stamp = { timestamp: new Date(context.now()).toISOString(), source }
  if (crossChain !== undefined) return { ...view, result: await crossChainResult(crossChain, context), ...stamp }
  if (order !== undefined) return { ...view, result: await orderResult(order, context), ...stamp }
  return { ...view, ...stamp }
})
