import type { Budget } from './ledger/budget.ts'

/** What the limits are asked. */
export type CheckRequest = {
  readonly principal: string
  readonly chainId: number
  readonly amountUsdMicros: bigint
  /** What gas may cost beside it, at worst; 0 where it is left out. */
  readonly gasUsdMicros?: bigint
  /** What it takes out of budgets beside the limits, without gas. A budget it takes nothing out of never refuses it. */
  readonly budgets?: readonly Budget[]
  readonly limits: SpendLimits
  /**
   * Whether it only brings funds home: then the limits are not asked, and its gas is held to a `dailyGas` of its own. All of it
   * counts as spent nevertheless.
   */
  readonly isExit?: boolean
  /**
   * Whether what it is to bring home repays its gas: then it also passes, whatever its gas, as long as the gas of such calls that
   * did not repay it is within another `dailyGas`.
   */
  readonly isToRepay?: boolean
  /**
   * Whether no stranger can keep what it is to bring from coming. Where such calls that strangers made fail have used that other `dailyGas`
   * up, it passes all the same, as long as the gas of such sure ones that did not repay it is within a third.
   */
  readonly isSure?: boolean
  /** A session closes after this long without a spend; 30 min by default of the policy. */
  readonly sessionIdleMs: number
}

/** Caps in millionths of a US dollar. They come with each request, so that one principal's may be tighter than another's. */
export type SpendLimits = {
  readonly perTransaction: bigint
  /** Of one principal, from its first spend until it has been idle. Protocol sessions do not matter. */
  readonly perSession: bigint
  /** Of all principals of the wallet together, in any 24 hours up to now: it protects the owner. */
  readonly daily: bigint
  /** Of the one principal, in the same 24 hours. Without it only `daily` counts. */
  readonly principalDaily?: bigint
  /**
   * Of gas alone, of all principals, in the same 24 hours: so much for what brings funds home, and as much for everything else.
   * Without it gas has no limit of its own.
   */
  readonly dailyGas?: bigint
}
