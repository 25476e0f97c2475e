import type { Bars } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Pool } from './pools.ts'

/** What a pool traded in the past, and how much of it is known. */
export type PoolHistory = {
  /**
   * The bars from the one that holds `from` to the one before `to` (both Unix seconds); the last is unfinished where `to` lies in it.
   * Bars whose price is unknown, before the first that the source knows, are left out and counted in `completeness`.
   * Throws `RPC_*` where no source answers, `CANCELLED`, `SERVER_BUSY`.
   */
  read(request: HistoryRequest): Promise<PoolBars>
}

export type HistoryRequest = {
  readonly chain: Chain
  readonly pool: Pool
  readonly from: number
  readonly to: number
  readonly barSeconds: number
  /** Of a caller who may leave: then no further logs are asked for. */
  readonly signal?: AbortSignal | undefined
  /** For whom it is read: those who wait take turns. */
  readonly principalId?: string | undefined
  /** Where prices suffice the pool's own oracle may tell the bars that nothing else does: then figures are `null`, and inputs and fees 0. */
  readonly needs?: 'prices' | undefined
}

export type HistorySource = 'rpc' | 'subgraph' | 'archive' | 'oracle'

export type PoolBars = {
  /** In the pool's own token order. */
  readonly bars: Bars
  readonly figures: BarFigures
  /** `archive` and `oracle` where a part is out of the pool's state at past blocks, or what its oracle remembers; the note says which. */
  readonly source: HistorySource
  readonly completeness: Completeness
  /** True where the inputs of a bar follow from totals, or its price from its ends: whatever a subgraph tells. */
  readonly isEstimate: boolean
}

/** Columns as long as the bars; `null` where the source or a price is missing. */
export type BarFigures = {
  readonly volumeUsd: Float64Array | null
  /** What liquidity providers earned. */
  readonly feesUsd: Float64Array | null
  /** At the end of each bar. */
  readonly tvlUsd: Float64Array | null
  readonly trades: Float64Array | null
}

export type Completeness = {
  readonly barsExpected: number
  /** Bars given back, those of no trade included. */
  readonly barsFound: number
  /** Whether no trade of the period is missing: bars that are left out then had none. */
  readonly hasAllTrades: boolean
  /** How many of them the source had nothing of, and were taken to be without a trade. */
  readonly gaps: number
  /** Where each of those begins, Unix seconds. */
  readonly gapsAt: readonly number[]
  /** What is missing and why, in our own words. */
  readonly note: string | null
}
