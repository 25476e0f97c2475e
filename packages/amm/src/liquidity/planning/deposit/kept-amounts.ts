import type { KeptDeposit } from '../../../intent.ts'

/** The amounts a request names, in the pool's order, none above those of the plan that is carried out. */
export function keptAmounts(kept: KeptDeposit | undefined, asked: AskedAmounts): AskedAmounts {
  if (kept === undefined) return asked
  const { amount0, amount1 } = kept.deposit
  return { amount0: lesser(asked.amount0, amount0), amount1: lesser(asked.amount1, amount1) }
}

export type AskedAmounts = { amount0: bigint | null; amount1: bigint | null }

/** What was left to be matched is what the plan matched it with. */
function lesser(asked: bigint | null, planned: bigint): bigint {
  return asked === null || planned < asked ? planned : asked
}
