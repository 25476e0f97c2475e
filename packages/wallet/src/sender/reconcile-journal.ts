import type { Address, PublicClient } from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import { markSent } from './broadcast-entry.ts'
import { settle, settledCount } from './settle.ts'
import { submit } from './submit.ts'

/**
 * Settles or re-sends everything the journal holds open for an account, lowest nonce first, and says how each entry
 * stands now. Nothing becomes `refused` here, for a process that died may have sent it. Rejects when the endpoint does
 * not answer.
 */
export async function reconcileJournal(context: ReconcileContext): Promise<readonly JournalEntry[]> {
  const { address, client, chain, journal } = context
  const open = await journal.open(chain.id, address)
  if (open.length === 0) return []
  const taken = await settledCount(client, address, chain.confirmations)
  const look = { client, journal, confirmations: chain.confirmations, settledCount: async () => taken }
  const sightings = await Promise.all(open.map((entry) => settle({ ...look, entry })))
  const reconciled: JournalEntry[] = []
  for (const { entry, receipt } of sightings) {
    const isOut = receipt === null && (entry.state === 'signed' || entry.state === 'broadcast')
    if (isOut) await submit(client, entry.rawTransaction)
    reconciled.push(isOut ? await markSent(journal, entry, 'broadcast') : entry)
  }
  return reconciled
}

export type ReconcileContext = {
  readonly address: Address
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'id' | 'confirmations'>
  readonly journal: Journal
}
