import type { Transactions } from '@svc/store'
import type { Doubt } from './operations.ts'
import { isInDoubt, isProvedDead } from './may-be-mined.ts'

/** What the journal knows of requests whose bytes an endpoint declined, and the way to ask the chain about them. */
export function createDoubt(transactions: Pick<Transactions, 'byRequest'>, lookAgain: () => Promise<unknown>): Doubt {
  return Object.freeze({
    isOpen: async (requestId: string) => isInDoubt(await transactions.byRequest(requestId)),
    isProvedDead: async (requestId: string) => isProvedDead(await transactions.byRequest(requestId)),
    lookAgain,
  })
}
