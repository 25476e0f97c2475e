import type { Address, Hex } from 'viem'
import type { ChangeLog } from './asset-changes.ts'

/** One call of a simulated sequence, and whether the rest means anything when it fails. */
export type SimulatedCall = {
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly mustSucceed: boolean
}

export type SimulatedResult = {
  readonly ok: boolean
  /** Of a failed call the revert data. */
  readonly returnData: Hex
  readonly gasUsed: bigint
  readonly logs: readonly ChangeLog[]
  /** What the wallet's native balance changed by; `null` where the logs of a tracer tell. */
  readonly nativeDelta: bigint | null
}

/** What a sequence is simulated from. */
export type SimulatedFrom = {
  readonly wallet: Address
  /** The block whose state it starts from, and the time at which it plays, in Unix seconds. */
  readonly block: { readonly number: bigint }
  readonly atSeconds: number
  /** Whether the steps hold a place for a signature of the wallet: then it is played as if whatever stands there were its own. */
  readonly isUnsigned?: boolean
}
