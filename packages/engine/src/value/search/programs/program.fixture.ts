import type { AgentCall } from '../agent/agent-call.fixture.ts'
import type { PriceMultiples } from '../world/deposits.fixture.ts'
import type { PoolKind } from '../world/open-pool.fixture.ts'

/** What an attacker does around the agent's calls, as plain data: the same program in the same scenario does the same. */
export type Program = {
  /** Seed of the scenario. */
  readonly scenario: number
  /** Of what the market and others do meanwhile. */
  readonly seed: number
  /** The seed of the random program that it comes of by changes, or its own. */
  readonly lineage: number
  readonly actions: readonly Action[]
}

/** Pools go by name; what names a pool or position that is not there does nothing. Sums are in US dollars at the prices outside. */
export type Action =
  | { readonly do: 'swap'; readonly pool: string; readonly zeroForOne: boolean; readonly usd: number }
  /** Trades until the pool is at so many times the price outside. */
  | { readonly do: 'push'; readonly pool: string; readonly factor: number }
  | ({ readonly do: 'create'; readonly factor: number; readonly usd: number } & PoolKind)
  /** Liquidity between two multiples of the present price: one-sided where both lie on one side of 1. */
  | ({ readonly do: 'add'; readonly pool: string; readonly usd: number } & PriceMultiples)
  | { readonly do: 'remove'; readonly position: number; readonly part: number }
  | { readonly do: 'donate'; readonly pool: string; readonly usd: number; readonly of0: boolean }
  /** Moves the tick a little in each of so many blocks, so that the oracle forgets. */
  | { readonly do: 'flush'; readonly pool: string; readonly blocks: number }
  /** Puts the pool back to the multiple in each of so many blocks, after the arbitrageur has acted. */
  | { readonly do: 'hold'; readonly pool: string; readonly factor: number; readonly blocks: number }
  /** Pushes the pool in every other block and takes it back in the next, before the arbitrageur, as many times. */
  | { readonly do: 'pulse'; readonly pool: string; readonly factor: number; readonly times: number }
  | { readonly do: 'wait'; readonly seconds: number }
  /** The agent plans a call, the guard decides on it, and it is signed. */
  | { readonly do: 'decide'; readonly call: AgentCall }
  /** What was signed is mined at this place in the block. */
  | { readonly do: 'execute' }
