import { formatAmount } from '@svc/lp-math'
import type { Address } from 'viem'
import type { Budget } from '@svc/store'
import type { PriceWitness, ToolError } from '@svc/amm'
import type { Refusal } from '../call/refusal.ts'
import type { PricedToken, PricedTokens } from './spend-value.ts'
import { usdText } from '../call/amounts.ts'
import { bandWidthBps } from './trusted-value.ts'
import type { CallValue } from './call-value.ts'

/** How an intent was weighed as plain JSON: dollars are decimal text. */
export function weighedReport(weighed: WeighedIntent, used: ReadonlyMap<string, bigint>): WeighedReport {
  const prices = weighed.priced === null ? null : priceReports(weighed.priced)
  if (weighed.status === 'failed') {
    const { code, message } = weighed
    return { prices, failure: { code, message }, blockNumber: null, value: null, budgets: [] }
  }
  return {
    prices,
    failure: null,
    blockNumber: `${weighed.blockNumber}`,
    value: valueReport(weighed.value),
    budgets: weighed.budgets.map(({ name, usdMicros, capUsdMicros }) => ({
      name,
      asksUsd: usdText(usdMicros),
      usedUsd: usdText(used.get(name) ?? 0n),
      capUsd: usdText(capUsdMicros),
    })),
  }
}

/** What a look at an intent has found, as `weighIntent` gives it. */
export type WeighedIntent =
  | {
      readonly status: 'weighed'
      readonly blockNumber: bigint
      readonly playedBy: 'eth_simulateV1' | 'eth_call'
      readonly priced: PricedTokens
      readonly value: CallValue
      /** Its gas is held to the budget that is kept for what brings funds home, and to no other limit. */
      readonly isWayHome: boolean
      /** What the simulation and the calldata show that the intent does not say. */
      readonly refusals: readonly Refusal[]
      readonly budgets: readonly Budget[]
      /** What it counts as; `null` where a token has no price that counts. */
      readonly spendUsdMicros: bigint | null
      /** What gas may cost at worst; `null` where native currency has no price. */
      readonly gasUsdMicros: bigint | null
    }
  | {
      readonly status: 'failed'
      readonly code: ToolError['code']
      readonly message: string
      /** `null` where they cannot be read either. */
      readonly priced: PricedTokens | null
    }

export type WeighedReport = {
  /** `null` where the chain could not be read. */
  readonly prices: readonly PriceReport[] | null
  /** What kept the call from being weighed. */
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly blockNumber: string | null
  readonly value: ValueReport | null
  readonly budgets: readonly BudgetReport[]
}

export type PriceReport = {
  readonly token: Address
  readonly symbol: string
  readonly band: BandReport | null
  /** Why there is no band. */
  readonly doubt: PricedToken['doubt']
  /** What limits count one whole token with; `null` where nothing says anything. */
  readonly countsUsd: string | null
}

export type BandReport = {
  readonly lowUsd: string
  readonly midUsd: string
  readonly highUsd: string
  readonly widthBps: number
  readonly basis: 'feed' | 'pools' | 'cold'
  /** What the named pools hold on their shallower sides. */
  readonly depthUsd: string
  readonly witnesses: readonly WitnessReport[]
}

/** One source and what it says; both edges are `null` where it says nothing. */
export type WitnessReport = Pick<PriceWitness, 'source' | 'counts' | 'note'> & {
  readonly lowUsd: string | null
  readonly highUsd: string | null
}

export type ValueReport = {
  /** As simulated, in the middle of every band. */
  readonly outUsd: string
  readonly inUsd: string
  /** The outcome that the calldata permits and the edge at which the largest share is lost. */
  readonly worst: { readonly outUsd: string; readonly inUsd: string }
  readonly lossUsd: string
  readonly lossBps: number
  readonly allowedBps: number
  readonly bandBps: number
  readonly priceImpactBps: number | null
  readonly isExit: boolean
  readonly pools: readonly string[]
  readonly warnings: readonly string[]
  readonly refusals: readonly { readonly code: string; readonly message: string }[]
}

export type BudgetReport = {
  readonly name: string
  readonly asksUsd: string
  readonly usedUsd: string
  readonly capUsd: string
}

/** Of each token once; the wrapped native token and native currency are two. */
export function priceReports(priced: PricedTokens): readonly PriceReport[] {
  return [...priced.values()].map(({ token, band, doubt, usdE18 }) => ({
    token: token.address,
    symbol: token.symbol,
    band: band === null ? null : bandReport(band),
    doubt,
    countsUsd: usdE18 === null ? null : usdE18Text(usdE18),
  }))
}

/** A band and what each source says in it. */
export function bandReport(band: NonNullable<PricedToken['band']>): BandReport {
  return {
    lowUsd: usdE18Text(band.lowE18),
    midUsd: usdE18Text(band.midE18),
    highUsd: usdE18Text(band.highE18),
    widthBps: bandWidthBps(band),
    basis: band.basis,
    depthUsd: usdText(band.depthUsdMicros),
    witnesses: band.witnesses.map(({ source, lowE18, highE18, counts, note }) => ({
      source,
      lowUsd: lowE18 === null ? null : usdE18Text(lowE18),
      highUsd: highE18 === null ? null : usdE18Text(highE18),
      counts,
      note,
    })),
  }
}

function usdE18Text(usdE18: bigint): string {
  return formatAmount(usdE18, 18)
}

function valueReport(value: Extract<WeighedIntent, { readonly status: 'weighed' }>['value']): ValueReport {
  const { worst, lossBps, allowedBps, bandBps, priceImpactBps, isExit, pools, warnings, refusals } = value
  return {
    outUsd: usdText(value.outUsdMicros),
    inUsd: usdText(value.inUsdMicros),
    worst: { outUsd: usdText(worst.outUsdMicros), inUsd: usdText(worst.inUsdMicros) },
    lossUsd: usdText(value.lossUsdMicros),
    lossBps,
    allowedBps,
    bandBps,
    priceImpactBps,
    isExit,
    pools,
    warnings,
    refusals: refusals.map(({ code, message }) => ({ code, message })),
  }
}
