import { describe, expect, test } from 'vitest'
import { journalEntryJson } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { contractTime, journalContract } from './testing/index.ts'

describe('the memory journal keeps the contract of journals', () => {
  test.each(journalContract.map((item) => [item.name, item] as const))('%s', async (_name, item) => {
    await item.run(createMemoryJournal({ now: () => contractTime }))
  })
})

test('an entry is written as JSON with its numbers as text, and without those that it has not', async () => {
  const journal = createMemoryJournal({ now: () => contractTime })
  const hash = `0x${'11'.repeat(32)}` as const
  const from = `0x${'22'.repeat(20)}` as const
  const slot = { requestId: 'r', step: 0, chainId: 1, from, nonce: 0, attempt: 0, reservationId: null }
  const signed = await journal.recordSigned({ ...slot, rawTransaction: '0x', hash })
  expect(JSON.parse(JSON.stringify(journalEntryJson(signed)))).toEqual(signed)
  await journal.mark(hash, 'mined', { blockNumber: 7n, blockHash: hash, gasUsed: 21_000n })
  const mined = (await journal.byHash(hash))!
  expect(JSON.parse(JSON.stringify(journalEntryJson(mined)))).toEqual({ ...mined, blockNumber: '7', gasUsed: '21000' })
})
