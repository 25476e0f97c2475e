import type { SpendLimits } from '../check-request.ts'

/**
 * `used` is what counted before this request, in millionths of a US dollar. `repayment` is `due` where its gas passes because what comes home is to
 * repay it.
 */
export type SpendVerdict =
  | { readonly granted: true; readonly used: SpendUsed; readonly repayment: 'due' | null }
  | (Exceeded & { readonly limit: Exclude<keyof SpendLimits, 'dailyGas'> })
  | GasRefusal
  | BudgetRefusal

/** Unix milliseconds of when enough has left the window, as far as it is known; `null` where waiting does not help. */
export type GasRefusal = Exceeded & { readonly limit: 'dailyGas'; readonly freesAt: number | null }

/** `budget` is the name of the one that has too little left. */
export type BudgetRefusal = Exceeded & { readonly limit: 'budget'; readonly budget: string }

export type SpendUsed = { readonly session: bigint; readonly daily: bigint; readonly principalDaily: bigint }

type Exceeded = {
  readonly granted: false
  readonly capUsdMicros: bigint
  readonly usedUsdMicros: bigint
  readonly askedUsdMicros: bigint
}
