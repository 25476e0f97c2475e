import type { PriceMultiples } from '../world/deposits.fixture.ts'
import type { PoolKind } from '../world/open-pool.fixture.ts'

/** A call that an agent might well make, with the amounts of an honest caller. */
export type AgentCall = { readonly slippageBps: number; readonly usd: number } & (
  | { readonly tool: 'swap'; readonly sell: string; readonly buy: string; readonly pool: string | null }
  | ({ readonly tool: 'add'; readonly pool: string } & PriceMultiples)
  /** Into a pool that is not there yet, with amounts at the price outside. */
  | ({ readonly tool: 'open' } & PoolKind & PriceMultiples)
  | { readonly tool: 'increase'; readonly position: number }
  | { readonly tool: 'remove'; readonly position: number; readonly part: number }
)
