import type { Position } from '@svc/amm'
import { impermanentLoss } from '@svc/lp-math'
import * as z from 'zod'
import { isInRange } from '../analysis/position/describe-position.ts'

/**
 * Holds what was read of a position against what is watched for, and gives the state to go on with and what has come about since. A
 * condition tells once when it begins to hold, and again only after it has clearly ceased to: a figure after it fell to four fifths of its
 * threshold, the range after the price is back inside by a twentieth of its width. Pure.
 */
export function judge(watch: Pick<Watched, 'conditions' | 'state'>, reading: Reading): Judgement {
  const { conditions, state } = watch
  const { position } = reading
  if (position === null) {
    const missing = state.missing + 1
    const isGone = missing >= looksUntilGone
    return { state: { ...state, missing }, found: isGone ? [closed] : [], hasEnded: isGone, isChanged: true }
  }
  if (position.liquidity === 0n) return { state, found: [closed], hasEnded: true, isChanged: true }
  const isSample = state.measured === null || reading.at - state.measured.at >= sampleSeconds
  const fees = isSample ? nextFees(state.fees, position, reading.at) : state.fees
  const measured = measure(position, { ...state, fees }, reading)
  const armed: Record<string, boolean> = { ...state.armed }
  const found: Found[] = []
  const look = (kind: WatchKind, holds: boolean, hasCeased: boolean, facts: Omit<Found, 'kind'>) => {
    const isArmed = armed[kind] ?? true
    if (isArmed && holds) found.push({ kind, ...facts })
    if (isArmed ? holds : hasCeased) armed[kind] = !isArmed
  }
  if (conditions.outOfRange)
    look('out_of_range', !measured.inRange, isWellInside(position), { measured: null, threshold: null })
  for (const [kind, threshold, value] of figures(conditions, measured)) {
    if (threshold === null || value === null) continue
    look(kind, value >= threshold, value <= threshold * ceasedAt, { measured: value, threshold })
  }
  const isChanged = isSample || state.missing > 0 || JSON.stringify(armed) !== JSON.stringify(state.armed)
  return { state: { ...state, armed, fees, measured, missing: 0 }, found, hasEnded: false, isChanged }
}

export const watchKinds = ['out_of_range', 'il', 'fee_drop', 'fees_waiting', 'limit'] as const

type WatchKind = (typeof watchKinds)[number]

/** What a watch looks for: figures in percent, `null` for those that it does not. */
export const watchConditions = z.strictObject({
  outOfRange: z.boolean(),
  ilPct: z.number().nullable(),
  feeDropPct: z.number().nullable(),
  feesWaitingPct: z.number().nullable(),
  limitPct: z.number().nullable(),
  paysWithinDays: z.number(),
})

export type WatchConditions = z.output<typeof watchConditions>

const measuredFigures = z.strictObject({
  /** Unix seconds. */
  at: z.number(),
  inRange: z.boolean(),
  ilPct: z.number(),
  feeDropPct: z.number().nullable(),
  feesWaitingPct: z.number().nullable(),
  limitPct: z.number().nullable(),
})

/** Two averages of what the position earns, in percent of its value a year: one forgets within a day, the other within a week. */
const feeAverages = z.strictObject({
  at: z.number(),
  /** Unix seconds of the first sample. */
  since: z.number(),
  liquidity: z.string(),
  fees0: z.string(),
  fees1: z.string(),
  fast: z.number(),
  slow: z.number(),
})

export const watchState = z.strictObject({
  /** Of the pool when the watch began. */
  entrySqrtPriceX96: z.string(),
  /** Conditions that would tell; one that is not named would. */
  armed: z.record(z.string(), z.boolean()),
  fees: feeAverages.nullable(),
  /** The last that was kept, at most an hour before. */
  measured: measuredFigures.nullable(),
  /** How often in a row the position was not there. */
  missing: z.number(),
})

export type WatchState = z.output<typeof watchState>

export type Watched = { readonly conditions: WatchConditions; readonly state: WatchState }

export type Reading = {
  /** `null` where it is not there. */
  readonly position: Position | null
  /** Of the caller's limits of spending, the share that is used most; `null` where that is not asked for. */
  readonly limitPct: number | null
  /** Unix seconds. */
  readonly at: number
}

export type Found = {
  readonly kind: WatchKind | 'closed'
  readonly measured: number | null
  readonly threshold: number | null
}

export type Judgement = {
  readonly state: WatchState
  readonly found: readonly Found[]
  readonly hasEnded: boolean
  /** Whether the state has to be kept; what only looked is not. */
  readonly isChanged: boolean
}

/** The state that a watch begins with. */
export function firstState({ pool }: Position): WatchState {
  return { entrySqrtPriceX96: String(pool.sqrtPriceX96), armed: {}, fees: null, measured: null, missing: 0 }
}

function figures(conditions: WatchConditions, measured: z.output<typeof measuredFigures>) {
  return [
    ['il', conditions.ilPct, measured.ilPct],
    ['fee_drop', conditions.feeDropPct, measured.feeDropPct],
    ['fees_waiting', conditions.feesWaitingPct, measured.feesWaitingPct],
    ['limit', conditions.limitPct, measured.limitPct],
  ] as const
}

/** Percentages in the pool's own price, so that no other source of prices is asked. */
function measure(
  position: Position,
  { entrySqrtPriceX96, fees }: Pick<WatchState, 'entrySqrtPriceX96' | 'fees'>,
  { limitPct, at }: Reading,
): z.output<typeof measuredFigures> {
  const bounds = { lower: 1.0001 ** position.tickLower, upper: 1.0001 ** position.tickUpper }
  const price = priceOf(position.pool.sqrtPriceX96)
  const worth = worthOf(position, position.amount0, position.amount1)
  const waiting = worthOf(position, position.fees0, position.fees1)
  return {
    at,
    inRange: isInRange(position),
    ilPct: rounded(-100 * impermanentLoss(bounds, priceOf(BigInt(entrySqrtPriceX96)), price)),
    feeDropPct: feeDropOf(fees),
    feesWaitingPct: worth > 0 ? rounded((100 * waiting) / worth) : null,
    limitPct,
  }
}

function feeDropOf(fees: WatchState['fees']): number | null {
  if (fees === null || fees.at - fees.since < warmUpSeconds || fees.slow <= 0) return null
  return rounded(Math.max(0, 100 * (1 - fees.fast / fees.slow)))
}

/** The averages with the fees since the last sample; what was collected, added or removed meanwhile begins a new stretch. */
function nextFees(before: WatchState['fees'], position: Position, at: number): WatchState['fees'] {
  const { liquidity, fees0, fees1 } = position
  const now = { at, liquidity: String(liquidity), fees0: String(fees0), fees1: String(fees1) }
  if (before === null) return { ...now, since: at, fast: 0, slow: 0 }
  const [earned0, earned1] = [fees0 - BigInt(before.fees0), fees1 - BigInt(before.fees1)]
  const seconds = at - before.at
  const worth = worthOf(position, position.amount0, position.amount1)
  const isSameStretch = before.liquidity === now.liquidity && earned0 >= 0n && earned1 >= 0n
  if (!isSameStretch || seconds <= 0 || worth <= 0) return { ...before, ...now }
  const rate = ((100 * worthOf(position, earned0, earned1)) / worth) * (yearSeconds / seconds)
  const lived = at - before.since
  const averaged = (average: number, memorySeconds: number) =>
    average + ((1 - Math.exp(-seconds / memorySeconds)) / (1 - Math.exp(-lived / memorySeconds))) * (rate - average)
  return { ...before, ...now, fast: averaged(before.fast, daySeconds), slow: averaged(before.slow, 7 * daySeconds) }
}

/** In the smallest units of the second token; of use in ratios alone. */
function worthOf({ pool }: Position, amount0: bigint, amount1: bigint): number {
  return Number(amount0) * priceOf(pool.sqrtPriceX96) + Number(amount1)
}

function priceOf(sqrtPriceX96: bigint): number {
  return (Number(sqrtPriceX96) / 2 ** 96) ** 2
}

function isWellInside({ tickLower, tickUpper, pool: { tick } }: Position): boolean {
  const margin = Math.max(1, Math.floor((tickUpper - tickLower) / 20))
  return tickLower + margin <= tick && tick < tickUpper - margin
}

function rounded(percent: number): number {
  return Math.round(percent * 1e4) / 1e4
}

const closed: Found = { kind: 'closed', measured: null, threshold: null }

/** An endpoint that is behind, or a block that is taken back, is no position that was burnt. */
const looksUntilGone = 3
const ceasedAt = 0.8
const sampleSeconds = 3_600
const daySeconds = 86_400
const yearSeconds = 365 * daySeconds
/** Before, the averages are of too little to tell a drop from an hour without trades. */
const warmUpSeconds = 2 * daySeconds
