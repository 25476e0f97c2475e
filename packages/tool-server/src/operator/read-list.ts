import type { Operations, Operation } from '@svc/store'
import { printable } from '@svc/runtime'
import {
  type OperationDescription,
  describeOperation,
  allowanceText,
  dollars,
  nothingArrivesText,
  shortAmountText,
  tradePriceText,
} from '@svc/engine/approvals'

/**
 * What a person is shown of all operations: what awaits a decision, then what is approved or scheduled, and with `all` what
 * has become of others, newest first. In each group callers take turns, those that wait longest first, and what is left
 * out of one is counted: however much a caller makes, it hides nothing of another's. Plans that nobody is asked about are
 * left out.
 */
export async function readList(
  operations: Pick<Operations, 'inTurns' | 'count' | 'list'>,
  { all, caller }: { readonly all: boolean; readonly caller?: string | undefined },
): Promise<OperationList> {
  const named = caller === undefined ? {} : { principalId: caller }
  const perPrincipal = caller === undefined ? mostOfEach : mostShown
  const read = async ({ which, states, order }: (typeof groups)[number]): Promise<OperationList> => {
    const [found, counts] = await Promise.all([
      operations.inTurns({ ...named, states, order, perPrincipal, limit: mostShown }),
      operations.count({ principalId: caller ?? null, states }),
    ])
    const shown = order === 'newest' ? found.toSorted((one, other) => other.createdAt - one.createdAt) : found
    return { operations: await describeOperations(operations, shown), more: leftOut(which, found, counts) }
  }
  const lists = await Promise.all(groups.filter(({ which }) => all || which !== 'ended').map(read))
  return { operations: lists.flatMap((list) => list.operations), more: lists.flatMap(({ more }) => more) }
}

export type OperationList = {
  readonly operations: readonly OperationDescription[]
  readonly more: readonly MoreOperations[]
}

/** Operations of one caller and group that are not in the list. */
export type MoreOperations = {
  readonly which: 'awaiting' | 'coming' | 'ended'
  readonly caller: string
  readonly count: number
}

const groups = [
  { which: 'awaiting', states: ['awaiting_approval'], order: 'oldest' },
  { which: 'coming', states: ['approved', 'scheduled'], order: 'oldest' },
  { which: 'ended', states: ['running', 'done', 'failed', 'denied', 'cancelled', 'expired'], order: 'newest' },
] as const

/** Of each caller in a group, where all callers are shown. */
const mostOfEach = 20
/** In each group. */
const mostShown = 500

function leftOut(
  which: MoreOperations['which'],
  found: readonly { readonly principalId: string }[],
  counts: readonly { readonly principalId: string; readonly count: number }[],
): readonly MoreOperations[] {
  const left = new Map<string, number>()
  for (const { principalId, count } of counts) left.set(principalId, (left.get(principalId) ?? 0) + count)
  for (const { principalId } of found) left.set(principalId, (left.get(principalId) ?? 0) - 1)
  return [...left].flatMap(([caller, count]) => (count > 0 ? [{ which, caller: printable(caller, 128), count }] : []))
}

/** For example "and 3 more of key:write:1f9c2a7e that await a decision". */
export function moreText({ which, caller, count }: MoreOperations): string {
  return `and ${count} more of ${caller} ${whichText[which]}`
}

const whichText = {
  awaiting: 'that await a decision',
  coming: 'that are approved or scheduled',
  ended: 'that run or have ended',
} as const

/** What a person is shown of an operation, as `describeOperations` does. */
export async function describeOne(
  operations: Pick<Operations, 'list'>,
  operation: Operation,
): Promise<OperationDescription> {
  const [description = describeOperation(operation)] = await describeOperations(operations, [operation])
  return description
}

/**
 * What a person is shown of operations. One that waits comes with a warning where the same caller's same call was approved
 * within the last day: a caller that asks again for what it was given may have lost the answer.
 */
async function describeOperations(
  operations: Pick<Operations, 'list'>,
  shown: readonly Operation[],
): Promise<readonly OperationDescription[]> {
  const waiting = shown.filter(({ state }) => state === 'awaiting_approval')
  const callers = [...new Set(waiting.map(({ principalId }) => principalId))]
  const lists = await Promise.all(
    callers.map((principalId) => operations.list({ principalId, states: approved, limit: mostLooked })),
  )
  const before = lists.flat()
  return shown.map((operation) => {
    const description = describeOperation(operation)
    if (operation.state !== 'awaiting_approval') return description
    const warnings = before.filter((other) => isSameCall(operation, other)).map(warningText)
    return { ...description, warnings: [...warnings, ...description.warnings] }
  })
}

const approved = ['approved', 'scheduled', 'running', 'done'] as const
/** Of one caller, newest first. */
const mostLooked = 200
const dayMs = 86_400_000

function isSameCall(operation: Operation, { principalId, tool, input, decidedAt }: Operation): boolean {
  if (decidedAt === null || decidedAt < operation.createdAt - dayMs) return false
  return operation.principalId === principalId && operation.tool === tool && operation.input === input
}

function warningText({ id, state, decidedAt }: Operation): string {
  const at = new Date(decidedAt ?? 0).toISOString()
  return `The same call of the same caller was approved already, at ${at}: operation ${printable(id)} is ${state}.`
}

/** What comes of a decision, in words for whoever made it. */
export function outcome({ id, state }: Pick<Operation, 'id' | 'state'>): string {
  if (state === 'denied') return 'Denied.'
  if (state === 'scheduled') return 'Approved. It is carried out when its time has come.'
  return (
    `Approved. It is carried out once, as soon as the caller calls execute_plan with planId ${id}, or repeats its call ` +
    'under the same idempotencyKey, before it expires.'
  )
}

/** What the browser asks before a plan is approved: what is approved, as plain lines that the card says as well. */
export function questionText(operation: OperationDescription): string {
  const price = tradePriceText(operation)
  return [
    `Approve this? ${operation.why}`,
    '',
    `Leaves at most: ${amountsText(operation.leavesAtMost, 'up') || 'nothing'}`,
    `Arrives at least: ${amountsText(operation.arrivesAtLeast, 'down') || nothingArrivesText(operation)}`,
    ...operation.allows.map((allowance) => `Allows: ${allowanceText(allowance)}`),
    ...(price === null ? [] : [`Price: ${price}`]),
    ...operation.deposits.flatMap((one) => [
      `Goes into: ${one.into}`,
      `Range: ${one.range}`,
      `Price when planned: ${one.price}`,
    ]),
    `Counts as: ${dollars(operation.spendUsd)} USD of the limits`,
    `On ${operation.chain}, asked by ${operation.askedBy}`,
    ...operation.warnings.map((warning) => `Note: ${warning}`),
  ].join('\n')
}

function amountsText(list: OperationDescription['leavesAtMost'], rounding: 'up' | 'down'): string {
  return list.map((amount) => shortAmountText(amount, rounding)).join(' and ')
}
