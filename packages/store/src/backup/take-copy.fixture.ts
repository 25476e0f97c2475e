import type { StorePlace } from '../open-store.ts'
import { readState, createRowsDigest, type StateRow } from './read-state.ts'
import type { RestoredCopy } from './restored-copy.ts'
import type { CopiedTable, StateCopy } from './write-state.ts'

/** Who puts a copy back. */
export const restored: RestoredCopy = { by: 'operator:ada', at: '2026-01-31T08:00:00.000Z', reason: 'restored' }

/** A copy of the state that stands at a place, kept in memory. */
export async function takeCopy(place: StorePlace): Promise<TakenCopy> {
  const kept = new Map<string, readonly StateRow[]>()
  const { steps, tables } = await readState(place, async (snapshot) => {
    const copied: CopiedTable[] = []
    for (const { rows, ...table } of snapshot.tables) {
      const digest = createRowsDigest()
      const found: StateRow[] = []
      for await (const row of rows()) {
        digest.add(row)
        found.push(row)
      }
      kept.set(table.name, found)
      copied.push({ ...table, ...digest.read() })
    }
    return { steps: snapshot.steps, tables: copied }
  })
  return { steps, tables, kept, rows: (table) => toStream(kept.get(table) ?? []) }
}

export type TakenCopy = StateCopy & { readonly kept: ReadonlyMap<string, readonly StateRow[]> }

export async function* toStream(rows: readonly StateRow[]): AsyncGenerator<StateRow> {
  yield* rows
}
