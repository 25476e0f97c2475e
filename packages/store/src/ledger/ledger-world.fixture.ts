import type { Ledger } from './ledger.ts'
import { openStore, type Store } from '../open-store.ts'
import { steadyClock } from '../store-time.ts'

/** True time, the wall clock of the machine, and a ledger that sees the latter alone. */
export async function openWorld(path: string) {
  const time = { true: 1_700_000_000_000, behindMs: 0, started: 0 }
  const wall = (): number => time.true - time.behindMs
  const open = async (): Promise<{ store: Store; now: () => number }> => {
    time.started = time.true
    const now = steadyClock(wall, () => time.true - time.started)
    return { store: await openStore({ path, now }), now }
  }
  let opened = await open()
  let runs = 0
  let seen = 0
  return {
    time,
    ledger: (): Ledger => opened.store.ledger,
    journal: (): Store['journal'] => opened.store.journal,
    /** As the ledger must see time: never behind its last spend of before the restart. */
    seen: (): number => Math.max(opened.now(), seen),
    /** Two days on and nothing open: as if nothing had ever been spent. */
    async afresh(): Promise<number> {
      for (const { id } of await opened.store.ledger.open()) await opened.store.ledger.release(id)
      time.behindMs = 0
      time.true += 5 * dayMs
      return (runs += 1)
    },
    async restart(lastSpendAt: number): Promise<void> {
      await opened.store.close()
      seen = Math.max(seen, lastSpendAt)
      opened = await open()
    },
    close: () => opened.store.close(),
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

const dayMs = 24 * 3_600_000
