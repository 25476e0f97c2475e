import { ToolError, type ErrorDetail } from '@svc/amm'
import type { Tool } from '../tool.ts'
import { quoteUntrusted } from './call-result.ts'
import { plannedAmount, plannedCall, plannedDeposit, plannedStep, plannedToken, planSchema } from '@svc/amm/plan'
import * as z from 'zod'

/**
 * Parses the arguments of a call against the tool's strict input schema. Throws `VALIDATION_FAILED` with one detail per
 * refused field, naming the field and what it accepts.
 */
export function parseInput(tool: Pick<Tool, 'name' | 'input'>, args: unknown): Readonly<Record<string, unknown>> {
  const outcome = tool.input.safeParse(args ?? {})
  if (outcome.success) return outcome.data
  const details = outcome.error.issues
    .flatMap((issue) => withPath(issue, describeIssue(issue, tool)))
    .slice(0, maxDetails)
  throw new ToolError('VALIDATION_FAILED', `${tool.name} ${refusalOf(details)}.`, { details })
}

const maxDetails = 20

/** For example `refuses fee and needs tokens`, or of one member alone also why. */
function refusalOf(details: readonly ErrorDetail[]): string {
  const missing = new Set(details.filter(({ message }) => message === required).map(({ field }) => field))
  const refused = new Set(details.map(({ field }) => field).filter((field) => !missing.has(field)))
  const [first] = details
  if (details.length === 1 && first !== undefined && missing.size === 0) {
    return `refuses ${first.field}: ${first.message.replace(/\.$/, '')}`
  }
  const parts = [
    ...(refused.size === 0 ? [] : [`refuses ${[...refused].join(', ')}`]),
    ...(missing.size === 0 ? [] : [`needs ${[...missing].join(', ')}`]),
  ]
  return parts.join(' and ') || 'refuses its arguments'
}

const required = 'Required.'

function describeIssue(issue: z.core.$ZodIssue, tool: Pick<Tool, 'input'>): readonly ErrorDetail[] {
  const field = fieldPath(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldPath([...issue.path, key]),
      message: 'Unknown member.',
      ...(issue.path.length === 0 ? { accepted: Object.keys(tool.input.shape) } : {}),
    }))
  }
  if (issue.code === 'invalid_value') {
    return [{ field, message: 'Not an accepted value.', accepted: issue.values.map(String) }]
  }
  if (issue.code === 'invalid_type') return [{ field, message: typeMessage(issue), accepted: issue.expected }]
  if (issue.code === 'invalid_union') {
    // What says itself what is accepted needs no word of its parts.
    const accepts = issue.message.startsWith('Accepted: ') ? {} : unionAccepts(issue)
    return [{ field, message: ownMessage(issue.message), ...accepts }]
  }
  return [{ field, message: ownMessage(issue.message), ...boundsOf(issue) }]
}

/** Of a member inside another, its path with dots as well, such as `operations.3.params.amount0`. */
function withPath({ path }: z.core.$ZodIssue, details: readonly ErrorDetail[]): readonly ErrorDetail[] {
  if (path.length < 2) return details
  return details.map((detail) => ({ ...detail, path: fieldPath(path).replaceAll(/\[(\d+)\]/g, '.$1') }))
}

/** A path as a caller writes it: `operations[2].type`; the arguments themselves are `arguments`. */
function fieldPath(path: readonly PropertyKey[]): string {
  const written = path.map((part, index) => {
    if (typeof part === 'number') return `[${part}]`
    const name = String(part)
    const plain = /^[A-Za-z0-9_]{1,64}$/.test(name) ? name : quoteUntrusted(name)
    return index === 0 ? plain : `.${plain}`
  })
  return written.join('') || 'arguments'
}

function typeMessage(issue: z.core.$ZodIssueInvalidType): string {
  if (issue.input === undefined && issue.message.endsWith('received undefined')) return required
  return ownMessage(issue.message)
}

/** Messages are written by our schemas or by the schema library; neither quotes the value it refuses. */
function ownMessage(message: string): string {
  return message.length > 300 ? `${message.slice(0, 300)}...` : message
}

function boundsOf(issue: z.core.$ZodIssue): { readonly accepted?: string } {
  if (issue.code === 'too_small') return { accepted: `at least ${issue.minimum}` }
  if (issue.code === 'too_big') return { accepted: `at most ${issue.maximum}` }
  if (issue.code === 'not_multiple_of') return { accepted: `multiples of ${issue.divisor}` }
  if (issue.code === 'invalid_format' && issue.pattern !== undefined) return { accepted: issue.pattern }
  return {}
}

function unionAccepts(issue: z.core.$ZodIssueInvalidUnion): { readonly accepted?: readonly string[] } {
  const accepted = (issue.errors ?? []).flat().map((inner) => inner.message)
  return accepted.length === 0 ? {} : { accepted: [...new Set(accepted)].slice(0, 10) }
}

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
