import { createPublicClient, custom } from 'viem'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { settle } from './settle.ts'

const from = `0x${'11'.repeat(20)}` as const
const hash = `0x${'22'.repeat(32)}` as const
const blockHash = `0x${'33'.repeat(32)}` as const
const mined = { blockNumber: 7n, blockHash, gasUsed: 21_000n }

/** Knows no transaction at all. */
const client = createPublicClient({ transport: custom({ request: async () => null }) })

async function minedEntry() {
  const journal = createMemoryJournal({ now: () => 1 })
  const slot = { requestId: 'r', step: 0, chainId: 1, from, nonce: 0, attempt: 0 }
  await journal.recordSigned({ ...slot, rawTransaction: '0x02', hash, reservationId: null })
  await journal.mark(hash, 'mined', mined)
  const entry = await journal.byHash(hash)
  if (entry === null) throw new Error('the journal lost it')
  return { journal, entry }
}

test('what a reorg took back is told as the journal holds it: out, and in no block', async () => {
  const { journal, entry } = await minedEntry()
  const seen = await settle({ client, journal, entry, confirmations: 1 })
  expect(seen.entry).toEqual(await journal.byHash(hash))
  expect(seen.entry).not.toHaveProperty('blockHash')
  expect(seen).toMatchObject({ receipt: null, entry: { state: 'broadcast' } })
})

test('one that another watcher has closed meanwhile is told as that one left it', async () => {
  const { journal, entry } = await minedEntry()
  await journal.mark(hash, 'final', mined)
  const seen = await settle({ client, journal, entry, confirmations: 1 })
  expect(seen).toEqual({ entry: { ...entry, state: 'final' }, receipt: null })
})
