import type { Journal, JournalState } from '@svc/wallet'
import type { ErrorDetail } from '../tool-error.ts'
import { wentOut } from './went-out.ts'

/** The transactions of a request that went out, or still may, and how each stands: for a caller who must look them up. */
export async function sentTransactions(
  journal: Pick<Journal, 'byRequest'>,
  requestId: string,
): Promise<readonly ErrorDetail[]> {
  const entries = (await journal.byRequest(requestId)).filter(wentOut)
  return entries.map(({ hash, state }) => ({ message: standing[state] ?? 'not confirmed', txHash: hash }))
}

const standing: Partial<Record<JournalState, string>> = {
  final: 'mined',
  reverted: 'mined and reverted',
  refused: 'declined by the endpoint, which may have passed it on all the same',
}
