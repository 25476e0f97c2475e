import { operationText } from '@svc/engine/approvals'
import { findOperation, openOperations, readIdAndFlags } from './open-operations.ts'

/** `svc approvals show ID`: in plain terms what would happen. */
export async function show(argv: readonly string[]): Promise<number> {
  const { id, flags } = readIdAndFlags('show', argv, { values: ['data-dir'], switches: ['json'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { description } = await findOperation(open, id)
    const text = flags.json ? JSON.stringify(description) : operationText(description, Date.now())
    process.stdout.write(`${text}\n`)
    return 0
  } finally {
    await open.close()
  }
}
