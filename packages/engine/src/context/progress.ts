import type { Hash, TransactionReceipt } from 'viem'
import type { Simulation } from '../simulation/simulation.ts'
import type { HeldSpend } from '../spending/spend-limit.ts'
import type { PricedTokens } from '../spending/spend-value.ts'
import type { Step } from './step.ts'
import type { ChainSnapshot } from '../allowances/chain-snapshot.ts'

/** How far a run of the pipeline has come. Filled as it goes. */
export type Progress = {
  readonly signed: { readonly step: Step; readonly hash: Hash }[]
  readonly mined: { readonly step: Step; readonly receipt: TransactionReceipt }[]
  /** What the ledger holds for the pipeline now: rises when prices and fees do. */
  reserved: HeldSpend
  /** The newest prices looked up, at which it is settled. */
  priced: PricedTokens
  /** The simulation in force and the step it starts with. */
  valid: { readonly snapshotTaken: ChainSnapshot; readonly simulation: Simulation; readonly firstStep: number }
}
