import { operatorName } from '../own-data-directory.ts'
import { openOperations, readIdAndFlags } from './open-operations.ts'

/**
 * `svc approvals cancel ID`: takes back what waits, is approved or is scheduled, beside the running server. The store
 * decides between this and the server that is about to carry it out: one of the two comes first, and what runs already is
 * refused here.
 */
export async function cancel(argv: readonly string[]): Promise<number> {
  const { id, flags } = readIdAndFlags('cancel', argv, { values: ['data-dir'], switches: ['json'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { state } = await open.operations.cancel(id, operatorName())
    process.stdout.write(flags.json ? `${JSON.stringify({ id, state })}\n` : 'Cancelled. It is not carried out.\n')
    return 0
  } finally {
    await open.close()
  }
}
