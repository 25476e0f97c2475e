import type { CallBounds } from './call-bounds.ts'
import type { Inspected } from './inspection.ts'
import type { PairShares } from './trusted-value.ts'

export type Moved = {
  /** Of the calls that are still to be made. */
  readonly calls: readonly CallBounds[]
  readonly inspected: Inspected
  /** Net change of the wallet by lower-case token, native currency under the zero address. */
  readonly deltas: ReadonlyMap<string, bigint>
  /** What arrives at payees the operator lists, who are as good as the wallet. */
  readonly paid: ReadonlyMap<string, bigint>
  /** Pairs whose shares are among the deltas, as they stood before, by lower-case address. */
  readonly pairs: ReadonlyMap<string, Omit<PairShares, 'amount'>>
  /** Lower case. */
  readonly wrappedNative: string
}
