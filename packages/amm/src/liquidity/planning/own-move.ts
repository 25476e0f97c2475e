import type { AddRequest, Position } from '../../ports.ts'
import type { FittedDeposit } from './deposit/fit-deposit.ts'

/** A position that is closed, and what is opened in its pool with what it pays out. */
export type OwnMove = {
  readonly position: Position
  readonly deposit: FittedDeposit
  /** Whether the caller names the tokens in the other order. */
  readonly inverted: boolean
  readonly request: Pick<AddRequest, 'slippageBps' | 'deadline' | 'recipient' | 'kept'>
}
