import { plannedAmount, plannedCall, plannedDeposit, plannedStep, plannedToken, planSchema } from '@svc/amm/plan'
import * as z from 'zod'
import type { Tool } from '../tool.ts'

/** A result that passed its check, or what can still be said of one that did not. */
export type CheckedOutput =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string; readonly salvaged: Readonly<Record<string, unknown>> | null }

/**
 * Checks our own result before it leaves. A malformed one is our fault and becomes an internal error, except when money
 * has already moved: then the members that do hold are salvaged, so that the transaction hash still reaches the caller.
 */
export function checkOutput(tool: Tool, result: unknown): CheckedOutput {
  const outcome =
    tool.access === 'write' && isDeferred(result) ? checkDeferred(tool, result) : tool.output.safeParse(result)
  if (outcome.success) return { ok: true, data: outcome.data }
  const problem = outcome.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
  return { ok: false, problem, salvaged: salvage(tool, result) }
}

/** A plan as callers get it: what is for the person who decides is left out. */
const shownAmounts = z.array(plannedAmount.pick({ token: true, chainId: true, symbol: true, amount: true, usd: true }))
const shownToken = plannedToken.omit({ isListed: true })
const shownCall = plannedCall.omit({ amounts: true, contracts: true })
const plan = planSchema.omit({ gasCostAtMost: true, gasCostAtMostUsd: true, chain: true }).extend({
  steps: z.array(plannedStep.extend({ calls: z.array(shownCall) })),
  deltas: shownAmounts,
  bounds: z.object({ spendsAtMost: shownAmounts, receivesAtLeast: shownAmounts }),
  deposits: z.array(plannedDeposit.extend({ token0: shownToken, token1: shownToken })),
})

/** The answer of a write that signed nothing. */
export const deferredOutput = z.discriminatedUnion('status', [
  z.object({ status: z.literal('planned'), plan }),
  z.object({ status: z.literal('scheduled'), operationId: z.string(), executeAfter: z.string(), plan }),
])

/** Beside the plan a tool may say what it expects, in members of its own result. */
function checkDeferred(tool: Tool, result: unknown): z.ZodSafeParseResult<Readonly<Record<string, unknown>>> {
  const deferred = deferredOutput.safeParse(result)
  if (!deferred.success) return deferred
  const expected = tool.output.omit({ status: true }).partial().safeParse(result)
  return expected.success ? { success: true, data: { ...expected.data, ...deferred.data } } : expected
}

function isDeferred(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'status' in result && deferredStates.has(result.status)
}

const deferredStates: ReadonlySet<unknown> = new Set(['planned', 'scheduled'])

function salvage(tool: Tool, result: unknown): Readonly<Record<string, unknown>> | null {
  if (tool.access !== 'write' || typeof result !== 'object' || result === null) return null
  if (!('txHash' in result) || typeof result.txHash !== 'string') return null
  const members = Object.entries(result).flatMap(([name, value]) => {
    const schema = Object.hasOwn(tool.output.shape, name) ? tool.output.shape[name] : undefined
    const outcome = schema === undefined ? undefined : z.safeParse(schema, value)
    return outcome?.success === true ? [[name, outcome.data] as const] : []
  })
  return { txHash: result.txHash, ...Object.fromEntries(members) }
}
