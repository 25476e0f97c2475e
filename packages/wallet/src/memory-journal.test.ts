import { describe, test } from 'vitest'
import { createMemoryJournal } from './memory-journal.ts'
import { contractTime, journalContract } from './testing/index.ts'

describe('the memory journal keeps the contract of journals', () => {
  test.each(journalContract.map((item) => [item.name, item] as const))('%s', async (_name, item) => {
    await item.run(createMemoryJournal({ now: () => contractTime }))
  })
})
