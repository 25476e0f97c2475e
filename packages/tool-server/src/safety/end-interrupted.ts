import type { Operation, Operations } from '@svc/store'
import type { Journal } from '@svc/wallet'
import { ToolError } from '../tool-error.ts'
import type { RoadLog } from './engine.ts'
import { onStorage } from './storage.ts'
import { wentOut } from './went-out.ts'

/**
 * At start, before anything is carried out: what an earlier process had taken and not ended. Where nothing was signed the
 * operation goes back to where it was and can be taken again; where something was, it ends naming the transactions, which
 * the journal brings to their end. So none is lost and none runs twice. Throws `STORAGE_UNAVAILABLE`.
 */
export async function endInterrupted(options: {
  readonly operations: Pick<Operations, 'interrupted' | 'giveBack' | 'finish'>
  readonly journal: Pick<Journal, 'byRequest'>
  readonly log: Pick<RoadLog, 'warn'>
}): Promise<{ readonly givenBack: readonly string[]; readonly ended: readonly string[] }> {
  const { operations, journal, log } = options
  const [givenBack, ended]: [string[], string[]] = [[], []]
  for (const operation of await onStorage('the operations cannot be read', () => operations.interrupted())) {
    const { id } = operation
    const hashes = await onStorage('the journal cannot be read', () => signedBy(operation, journal))
    await onStorage('the operations cannot be written', () =>
      hashes.length === 0
        ? operations.giveBack(id)
        : operations.finish(id, { state: 'failed', answer: JSON.stringify(cutOff(hashes)) }),
    )
    ;(hashes.length === 0 ? givenBack : ended).push(id)
    log.warn('operation.interrupted', { operationId: id, transactions: hashes })
  }
  return { givenBack, ended }
}

async function signedBy({ requestId }: Operation, journal: Pick<Journal, 'byRequest'>): Promise<readonly string[]> {
  if (requestId === null) return []
  return (await journal.byRequest(requestId)).filter(wentOut).map(({ hash }) => hash)
}

function cutOff(hashes: readonly string[]): ToolError {
  return new ToolError('OPERATION_INCOMPLETE', 'The server stopped while this operation was on its way.', {
    details: hashes.map((txHash) => ({ message: 'signed before the stop', txHash })),
  })
}
