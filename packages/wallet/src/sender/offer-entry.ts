import type { PublicClient } from 'viem'
import type { Journal, JournalEntry } from '../journal.ts'
import type { Delegation } from './delegation.ts'
import { submit, type Answer } from './submit.ts'

/**
 * Offers the stored bytes once. Nodes take one transaction at a time from an account with delegated code, so there the
 * bytes are held back (`wait`) until everything below their nonce is mined. Never rejects for an endpoint that fails.
 */
export async function offerEntry(context: OfferContext, entry: JournalEntry): Promise<Answer> {
  const { client, delegation } = context
  if (await mustWait(context, entry)) return 'wait'
  const answer = await submit(client, entry.rawTransaction)
  if (answer === 'wait') delegation.note()
  return answer
}

export type OfferContext = {
  readonly client: PublicClient
  readonly journal: Journal
  readonly delegation: Delegation
}

async function mustWait({ client, journal, delegation }: OfferContext, entry: JournalEntry): Promise<boolean> {
  if (!(await delegation.stands())) return false
  const { chainId, from, nonce } = entry
  const isNext = (await journal.open(chainId, from)).every((other) => other.nonce >= nonce || other.state === 'mined')
  if (isNext) return false
  const count = await client.getTransactionCount({ address: from, blockTag: 'latest' }).catch(() => 0)
  return count < nonce
}
