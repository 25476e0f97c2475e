import type { Operation, Operations, StoredTransaction, Transactions } from '@svc/store'
import { ToolError } from '@svc/amm'
import { type PipelineLog, onStorage } from '../call/refusal.ts'
import { isMinedApproval, isRevoked, mayBeMined, signedSteps } from './may-be-mined.ts'

/**
 * At start, before anything is carried out: what an earlier process had taken and not ended. Where nothing was signed the
 * operation goes back to where it was and can be taken again; where something was, it ends naming the transactions, which
 * the journal brings to their end; where the operator cancelled what it had signed, it ends with that. So none is lost and
 * none runs twice. Throws `STORAGE_UNAVAILABLE`.
 */
export async function endInterrupted(options: {
  readonly operations: Pick<Operations, 'interrupted' | 'giveBack' | 'finish'>
  readonly transactions: Pick<Transactions, 'byRequest'>
  readonly log: Pick<PipelineLog, 'warn'>
}): Promise<{ readonly givenBack: readonly string[]; readonly ended: readonly string[] }> {
  const { operations, transactions, log } = options
  const [givenBack, ended]: [string[], string[]] = [[], []]
  for (const operation of await onStorage('the operations cannot be read', () => operations.interrupted())) {
    const { id } = operation
    const signed = await onStorage('the journal cannot be read', () => signedBy(operation, transactions))
    const end = endOf(signed)
    await onStorage('the operations cannot be written', () =>
      end === null ? operations.giveBack(id) : operations.finish(id, { state: 'failed', answer: JSON.stringify(end) }),
    )
    ;(end === null ? givenBack : ended).push(id)
    log.warn('operation.interrupted', { operationId: id, transactions: signed.map(({ hash }) => hash) })
  }
  return { givenBack, ended }
}

/** What may have an effect, or was revoked. */
async function signedBy(
  { requestId }: Operation,
  transactions: Pick<Transactions, 'byRequest'>,
): Promise<readonly StoredTransaction[]> {
  if (requestId === null) return []
  return (await transactions.byRequest(requestId)).filter((entry) => mayBeMined(entry) || isRevoked([entry]))
}

function endOf(signed: readonly StoredTransaction[]): ToolError | null {
  if (signed.length === 0) return null
  const steps = signedSteps(signed)
  if (steps.some(isRevoked) && steps.every((attempts) => isRevoked(attempts) || attempts.every(isMinedApproval))) {
    return new ToolError('CANCELLED_BY_OPERATOR', 'The operator cancelled what this operation had sent.', {
      details: signed.map((one) => ({
        message: mayBeMined(one) ? 'an approval, which was mined' : 'cancelled, and never mined',
        txHash: one.hash,
      })),
    })
  }
  return new ToolError('OPERATION_INCOMPLETE', 'The server stopped while this operation was on its way.', {
    details: signed.map(({ hash }) => ({ message: 'signed before the stop', txHash: hash })),
  })
}
