import { hash } from 'node:crypto'
import type { Schema } from '../schema.ts'

/** Every table of the state, each behind those that its rows refer to. The migrator's own are not among them: what they say is `steps`. */
export const stateTables = [
  'spending_session',
  'reservation',
  'reservation_budget',
  'journal',
  'idempotency',
  'operation',
  'rate_use',
  'rate_bucket',
  'claim',
  'pin',
  'block',
  'bar_chunk',
  'token_fact',
  'sighting_subject',
  'sighting',
  'signed_order',
  'pending_revocation',
  'memory',
  'watch',
  'watch_event',
  'task',
  'sign_in_state',
  'sign_in_nonce',
  'sign_in_key',
  'sign_in_revocation',
  'restored_copy',
  'leadership',
  'switch_state',
] as const satisfies readonly (keyof Schema)[]

/**
 * What a copy leaves out: it holds for minutes, and to bring it back would make a token or a nonce good that is not any more. That a state was
 * put back is said anew of each, and who writes is for the servers that run.
 */
export const passingTables: ReadonlySet<string> = new Set<keyof Schema>([
  'rate_bucket',
  'sign_in_nonce',
  'sign_in_key',
  'restored_copy',
  'leadership',
])

/** What servers that only read write as well, without the lease of the one that signs: it can be read again. */
export const readTables: ReadonlySet<string> = new Set<keyof Schema>(['bar_chunk', 'token_fact'])

/** The values of a row in the order of its columns, as text: both engines turn it back into what the column holds. */
export type StateRow = readonly (string | null)[]

/** What a copy says of a table beside its rows. */
export type StateTable = {
  readonly name: string
  readonly columns: readonly string[]
  /** The highest number that its rows have been given so far, also by rows that are gone; `null` where they have none. */
  readonly lastSequence: string | null
}

/** How many rows there are and which, whatever their order: two engines give the same rows in different ones. */
export type RowsDigest = { readonly rows: number; readonly digest: string }

/** Counts rows in, and says which they were. */
export function createRowsDigest(): { add(row: StateRow): void; read(): RowsDigest } {
  let sum = 0n
  let rows = 0
  return {
    add(row) {
      sum = BigInt.asUintN(256, sum + BigInt(`0x${hash('sha256', JSON.stringify(row))}`))
      rows += 1
    },
    read: () => ({ rows, digest: sum.toString(16).padStart(64, '0') }),
  }
}
