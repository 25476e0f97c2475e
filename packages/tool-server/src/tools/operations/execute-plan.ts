import * as z from 'zod'
import { operationTool } from '../../tool.ts'
import { operationIdInput } from '../params.ts'

export const executePlan = operationTool({
  name: 'execute_plan',
  title: 'Execute a plan',
  description:
    "Carries out a dry run's plan, an approved operation or a stopped harvest's rest: simulated anew, refused with SIMULATION_DRIFT if it does more or brings less than receivesAtLeast. Swaps are rerouted: deltas may differ. Answers as its tool. Never signs what needs a person or a delay first.",
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    planId: operationIdInput,
    planHash: z
      .string()
      .refine((text) => /^0x[0-9a-f]{64}$/.test(text), 'Accepted: the planHash of the plan')
      .optional()
      .describe('Must match when given'),
  }),
  output: z.looseObject({
    status: z.string().describe('success; scheduled: nothing signed'),
    txHash: z.string().nullable().optional(),
    transactions: z.array(z.string()).optional(),
    operationId: z.string().optional(),
    executeAfter: z.string().optional(),
  }),
}).handler(async ({ planId, planHash }, { operations }) => {
  const { status, ...answer } = await operations.carryOut(planId, planHash ?? null)
  return { ...answer, status: typeof status === 'string' ? status : 'success' }
})
