import { printable } from '@svc/runtime'
import type { Operation, Operations } from '@svc/store'
import { describeOperation, type OperationDescription } from '@svc/engine/approvals'

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
export async function describeOperations(
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
