import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { operationIdInput } from '../params.ts'
import { operationResult } from '../results.ts'

export const getOperation = readTool({
  name: 'get_operation',
  title: 'Operation',
  description:
    'State of a write that waits or waited: its plan, who decided, when it runs, and its result or error. Shows only those of this key.',
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
  const view = await context.operations.get(input.operationId)
  return { ...view, timestamp: new Date(context.now()).toISOString(), source: 'records' }
})
