import { getSqrtPriceAtTick } from '@svc/lp-math'
import type { IntentDeposit, KeptDeposit } from '../../../intent.ts'
import type { Pool } from '../../../ports.ts'
import { type ErrorDetail, ToolError } from '../../../tool-error.ts'
import { priceDrift } from '../price-drift.ts'

/**
 * Holds the pool in which a plan is carried out against the plan: the same pool, there or missing as it was, its price
 * within the plan's slippage and on the same side of the range. The engine asks all of it again and believes no planner;
 * asked here, a deposit that cannot even be planned any more is refused for what it is.
 *
 * @throws ToolError `SIMULATION_DRIFT` with what was planned and what is.
 */
export function requireKept(kept: KeptDeposit | undefined, now: { pool: Pool; createsPool: boolean }): void {
  if (kept === undefined) return
  const details = driftOf(kept, now)
  if (details.length === 0) return
  const message = 'The pool is not as it was when this was planned. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message, { details })
}

function driftOf(
  { deposit, slippageBps }: KeptDeposit,
  { pool, createsPool }: { readonly pool: Pool; readonly createsPool: boolean },
): readonly ErrorDetail[] {
  if (deposit.pool.toLowerCase() !== pool.id.toLowerCase()) {
    return [{ message: 'Differs: pool.', planned: deposit.pool, now: pool.id }]
  }
  if (deposit.createsPool !== createsPool) {
    const text = (creates: boolean) => (creates ? 'created with the deposit' : 'there already')
    return [{ message: 'Differs: pool.', planned: text(deposit.createsPool), now: text(createsPool) }]
  }
  const decimals = [pool.token0.decimals, pool.token1.decimals] as const
  const moved = priceDrift(deposit, pool.sqrtPriceX96, slippageBps, decimals)
  if (moved.length > 0) return moved
  const [planned, side] = [sideOf(deposit, deposit.sqrtPriceX96), sideOf(deposit, pool.sqrtPriceX96)]
  return planned === side ? [] : [{ message: 'The price has crossed an end of the range.', planned, now: side }]
}

/** On which side of the range a price lies: it decides of which tokens the deposit is made. */
function sideOf({ tickLower, tickUpper }: IntentDeposit, sqrtPriceX96: bigint): 'below' | 'within' | 'above' {
  if (tickLower !== null && sqrtPriceX96 <= getSqrtPriceAtTick(tickLower)) return 'below'
  return tickUpper !== null && sqrtPriceX96 >= getSqrtPriceAtTick(tickUpper) ? 'above' : 'within'
}
