import type { Period } from './read-periods.ts'

export type ReportedPeriods = {
  /** Where the closed periods begin that can be known, Unix seconds. */
  readonly slots: readonly number[]
  /** Oldest first. */
  readonly reported: readonly Period[]
  /** The one before them. */
  readonly opening: Period | null
  /** The last block reported: a period that ends after its time is one of the swaps up to it. */
  readonly upTo: { readonly timestamp: number; readonly blockNumber: number }
}
