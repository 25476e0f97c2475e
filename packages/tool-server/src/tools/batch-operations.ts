import { isAddress } from 'viem'
import * as z from 'zod'
import {
  addContradictions,
  addParams,
  collectParams,
  compoundParams,
  moveContradictions,
  moveParams,
} from './position-params.ts'
import { removableIdProblem, removeParams } from './own-position.ts'
import { isPositionId, positionIdProblem } from './params.ts'

/** One operation of a batch, as a caller writes it. What `params` may hold says the tool of that name, and `operationProblems` checks. */
export const operationInput = z.strictObject({
  type: z.enum(['collect', 'compound', 'remove', 'add', 'rebalance'], {
    error: 'Accepted: collect, compound, remove, add or rebalance',
  }),
  positionId: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
})

export type OperationInput = z.output<typeof operationInput>

/** An operation whose parameters are those of its tool, defaults filled in. */
export type BatchOperation =
  | { readonly type: 'collect'; readonly positionId: string; readonly params: z.output<typeof forms.collect> }
  | { readonly type: 'compound'; readonly positionId: string; readonly params: z.output<typeof forms.compound> }
  | { readonly type: 'remove'; readonly positionId: string; readonly params: z.output<typeof forms.remove> }
  | { readonly type: 'add'; readonly params: z.output<typeof forms.add> }
  | { readonly type: 'rebalance'; readonly positionId: string; readonly params: z.output<typeof forms.rebalance> }

const forms = {
  collect: z.strictObject(collectParams),
  compound: z.strictObject(compoundParams),
  remove: z.strictObject(removeParams),
  add: z.strictObject(addParams).superRefine((value, check) => {
    for (const [field, message] of addContradictions(value)) check.addIssue({ code: 'custom', path: [field], message })
  }),
  rebalance: z.strictObject(moveParams).superRefine((value, check) => {
    for (const [field, message] of moveContradictions(value)) check.addIssue({ code: 'custom', path: [field], message })
  }),
} as const

/** What is wrong with an operation by itself: where in it, and what is accepted. */
export function operationProblems({ type, positionId, params }: OperationInput): readonly Problem[] {
  const parsed = forms[type].safeParse(params)
  const found = parsed.success ? [] : parsed.error.issues.flatMap((issue) => problemsOf(issue, forms[type].shape))
  if (type === 'add') {
    return positionId === undefined
      ? found
      : [...found, at('positionId', 'Accepted: none; a new position has no id yet')]
  }
  if (positionId === undefined) return [...found, at('positionId', 'Required.')]
  const wrong = idProblem(type, positionId, params)
  return wrong === null ? found : [...found, at('positionId', wrong)]
}

export type Problem = { readonly path: readonly (string | number)[]; readonly message: string }

/** Throws where `operationProblems` finds any. */
export function readOperation({ type, positionId = '', params }: OperationInput): BatchOperation {
  if (type === 'add') return { type, params: forms.add.parse(params) }
  if (type === 'collect') return { type, positionId, params: forms.collect.parse(params) }
  if (type === 'compound') return { type, positionId, params: forms.compound.parse(params) }
  if (type === 'remove') return { type, positionId, params: forms.remove.parse(params) }
  return { type, positionId, params: forms.rebalance.parse(params) }
}

/** Operations that name a position which an earlier one names: it would be planned on what that one changes. */
export function repeatedPositions(operations: readonly OperationInput[]): readonly number[] {
  const keys = operations.map(({ type, positionId, params }, index) =>
    type === 'add' ? `new ${index}` : `${params['version'] === 'v4' ? 'v4' : 'others'} ${positionId?.toLowerCase()}`,
  )
  return keys.flatMap((key, index) => (keys.indexOf(key) < index ? [index] : []))
}

function idProblem(type: OperationInput['type'], positionId: string, params: OperationInput['params']): string | null {
  if (type !== 'remove') {
    return isPositionId(positionId) ? null : positionIdProblem(positionId)
  }
  const { version = 'v3' } = params
  if (version === 'v2' || version === 'v3' || version === 'v4') return removableIdProblem({ positionId, version })
  return isPositionId(positionId) || isAddress(positionId) ? null : 'Accepted: a position id or the address of a pair'
}

function at(member: string, message: string): Problem {
  return { path: [member], message }
}

function problemsOf(issue: z.core.$ZodIssue, shape: object): readonly Problem[] {
  const path = ['params', ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: `Accepted: ${Object.keys(shape).join(', ')}` }))
  }
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return [{ path, message: 'Required.' }]
  }
  return [{ path, message: issue.message }]
}
