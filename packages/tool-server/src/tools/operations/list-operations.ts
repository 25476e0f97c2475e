import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { limitInput, operationStateInput } from '../params.ts'
import { operationResult } from '../results.ts'

export const listOperations = readTool({
  name: 'list_operations',
  title: 'Operations',
  description:
    'Plans, approval requests, scheduled writes and orders of this key, newest first. get_operation shows one as it is now.',
  scope: 'read:portfolio',
  inDataProfile: false,
  openWorld: false,
  input: z.strictObject({ state: operationStateInput.optional(), limit: limitInput.unwrap().default(10) }),
  output: z.object({
    operations: z.array(z.object(operationResult)),
    hasMore: z.boolean(),
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async ({ state = null, limit }, context) => {
  const found = await context.operations.list({ state, limit: limit + 1 })
  return {
    operations: found.slice(0, limit),
    hasMore: found.length > limit,
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
  }
})
