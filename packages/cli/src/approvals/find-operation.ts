import type { Operation } from '@svc/store'
import type { OperationDescription } from '@svc/engine/approvals'
import { describeOne } from './describe-operations.ts'
import type { OpenOperations } from './open-operations.ts'

/** The operation of this id and what a person is shown of it. Throws when there is none. */
export async function findOperation(
  { operations }: OpenOperations,
  id: string,
): Promise<{ readonly operation: Operation; readonly description: OperationDescription }> {
  const operation = await operations.byId(id)
  if (operation === null) throw new Error(`There is no operation ${id}. svc approvals list shows those that wait.`)
  return { operation, description: await describeOne(operations, operation) }
}
