import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPublicClient, custom, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { Journal, JournalEntry } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { createSender, type Sender } from '../sender.ts'

const from = `0x${'11'.repeat(20)}` as const
const hash = `0x${'22'.repeat(32)}` as const
const blockHash = `0x${'33'.repeat(32)}` as const
const mined = { blockNumber: 7n, blockHash, gasUsed: 21_000n }
const receipt = { transactionHash: hash, blockHash, blockNumber: '0x7', gasUsed: '0x5208', status: '0x1', logs: [] }

test('the journal is read while the receipt is asked for', async () => {
  const { sender, entry, seen } = await broadcastEntry([receipt])
  expect(await sender.confirm(entry, { confirmations: 1 })).toMatchObject({ status: 'final' })
  expect(seen.slice(0, 2)).toEqual(['eth_getTransactionReceipt', 'byNonce'])
})

test('an answer without a receipt undoes nothing that another watcher has seen since', async () => {
  const marks: string[] = []
  const { sender, entry, journal } = await broadcastEntry([null, receipt], (memory) => ({
    byNonce: async (...place) => {
      if (marks.length === 0) await memory.mark(hash, 'mined', mined)
      return memory.byNonce(...place)
    },
    mark: async (marked, state, facts) => {
      marks.push(state)
      await memory.mark(marked, state, facts)
    },
  }))
  expect(await sender.confirm(entry, { confirmations: 3 })).toMatchObject({ status: 'final' })
  expect(marks).toEqual(['final'])
  expect(await journal.byHash(hash)).toMatchObject({ state: 'final', blockHash })
})

test('one that another watcher sees mined by an earlier attempt, while a later one is offered, is final', async () => {
  const raised = `0x${'44'.repeat(32)}` as const
  const { sender, entry, journal } = await broadcastEntry([null, null, receipt], undefined, async (memory) => {
    await memory.mark(hash, 'final', mined)
    await memory.mark(raised, 'replaced')
  })
  const { state: _state, signedAt: _at, ...signed } = entry
  await journal.recordSigned({ ...signed, attempt: 1, rawTransaction: '0x0201', hash: raised })
  expect(await sender.confirm(entry, { confirmations: 1 })).toMatchObject({ status: 'final', entry: { hash } })
})

/**
 * A transaction that is out, over an endpoint that gives one answer after the other for its receipt, the last for good. `onOffer` is
 * what happens while bytes are offered.
 */
async function broadcastEntry(
  receipts: readonly unknown[],
  changed: (memory: Journal) => Partial<Journal> = () => ({}),
  onOffer: (memory: Journal) => Promise<void> = async () => {},
): Promise<{
  readonly sender: Sender
  readonly entry: JournalEntry
  readonly journal: Journal
  readonly seen: string[]
}> {
  const seen: string[] = []
  const answers = [...receipts]
  const request = async ({ method }: { readonly method: string }): Promise<unknown> => {
    // As a client that sends what is asked in one turn of the event loop together, at its end.
    await nextTurn()
    seen.push(method)
    if (method === 'eth_sendRawTransaction') await onOffer(memory)
    if (method !== 'eth_getTransactionReceipt') return numberToHex(20n)
    return answers.length > 1 ? answers.shift() : answers[0]
  }
  const memory = createMemoryJournal({ now: () => 1 })
  const journal: Journal = { ...memory, ...changed(memory) }
  const slot = { requestId: 'r', step: 0, chainId: 1, from, nonce: 0, attempt: 0 }
  await memory.recordSigned({ ...slot, rawTransaction: '0x02', hash, reservationId: null })
  await memory.mark(hash, 'broadcast')
  const entry = await memory.byHash(hash)
  if (entry === null) throw new Error('the journal lost it')
  const byNonce: Journal['byNonce'] = (...place) => {
    seen.push('byNonce')
    return journal.byNonce(...place)
  }
  const sender = createSender({
    wallet: { address: from, signTransaction: () => Promise.reject(new TypeError('never asked')) },
    client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 }),
    chain: { id: 1, confirmations: 1, blockTimeSeconds: 0.2 },
    journal: { ...journal, byNonce },
  })
  return { sender, entry, journal, seen }
}
