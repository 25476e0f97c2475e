import {
  type Amounts,
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  LpMathError,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import type { KeptDeposit } from '../../../intent.ts'
import { ToolError } from '../../../tool-error.ts'
import { keptAmounts } from '../slippage-limits.ts'
import type { RangeBounds } from './fit-amounts.ts'
import type { AddRequest, Position, Version } from '../../../ports.ts'
import type { FittedDeposit } from './fit-deposit.ts'

/**
 * The largest deposit that is paid by what a position gives in the same transaction, or in one before it: wherever the price lies within
 * the slippage it takes no more than is at hand there, so the wallet adds nothing of its own. A removal gives less of
 * one token where the price has moved, and a deposit takes less of it too, but not by as much where its range is wider; there a
 * tighter slippage deposits more. The slippage is halved until nearly all is deposited, or in v4 what the plan that is carried out
 * deposits: that is deposited as it was planned, or not at all.
 *
 * @throws ToolError `SIMULATION_DRIFT` when less is at hand than a v4 plan deposits.
 */
export function fitOwn(own: OwnDeposit): FittedOwn {
  const { kept, version } = own
  const mostBps = kept === undefined ? own.slippageBps : Math.min(own.slippageBps, kept.slippageBps)
  const unbounded = liquidityWithin(own, 0)
  const isEnough = ({ liquidity }: FittedOwn) =>
    kept === undefined || version === 'v3' ? isNearlyAll(liquidity, unbounded) : liquidity >= kept.deposit.liquidity
  let best: FittedOwn = { ...sized(own, liquidityWithin(own, mostBps)), slippageBps: mostBps }
  for (let bps = mostBps; bps > leastSlippageBps && !isEnough(best);) {
    bps = Math.max(Math.floor(bps / 2), leastSlippageBps)
    const liquidity = liquidityWithin(own, bps)
    if (liquidity > best.liquidity) best = { ...sized(own, liquidity), slippageBps: bps }
  }
  if (kept === undefined || version === 'v3') return best
  if (best.liquidity < kept.deposit.liquidity) throw lessAtHand(kept, best)
  return { ...sized(own, kept.deposit.liquidity), slippageBps: best.slippageBps }
}

/** Whether hardly anything would be left over at the pool's price: to swap so little costs more gas than it earns. */
export function fitsAsIs(own: Omit<OwnDeposit, 'slippageBps' | 'kept'>): boolean {
  const { sqrtPriceX96 } = own.bounds
  const free = { ...own, slippageBps: 0, kept: undefined }
  const fitted = sized(free, liquidityWithin(free, 0))
  return inToken1(fitted, sqrtPriceX96) * 100n >= inToken1(own.atHand(sqrtPriceX96), sqrtPriceX96) * 98n
}

/** A position that is closed, and what is opened in its pool with what it pays out. */
export type OwnMove = {
  readonly position: Position
  readonly deposit: FittedDeposit
  /** Whether the caller names the tokens in the other order. */
  readonly inverted: boolean
  readonly request: Pick<AddRequest, 'slippageBps' | 'deadline' | 'recipient' | 'kept'>
}

function inToken1({ amount0, amount1 }: Amounts, sqrtPriceX96: bigint): bigint {
  return ((amount0 * sqrtPriceX96 * sqrtPriceX96) >> 192n) + amount1
}

export type OwnDeposit = {
  readonly version: Exclude<Version, 'v2'>
  /** The pool's price and the range, as sqrt prices Q64.96. */
  readonly bounds: RangeBounds
  /** What pays for the deposit at a price of the pool (sqrt, Q64.96), in smallest units and the pool's order. */
  readonly atHand: (sqrtPriceX96: bigint) => Amounts
  /** The prices at which that bends: the edges of the range that pays. */
  readonly bends: readonly bigint[]
  /** The most; a tighter one is taken where that deposits more. */
  readonly slippageBps: number
  /** Of the plan that is carried out. */
  readonly kept: KeptDeposit | undefined
}

/** Amounts at the pool's price, rounded up; all zero where what is at hand buys nothing in the range. */
export type FittedOwn = Amounts & { readonly liquidity: bigint; readonly slippageBps: number }

/** Tighter than that, a deposit would fail with every second block. */
const leastSlippageBps = 5

function isNearlyAll(liquidity: bigint, most: bigint): boolean {
  return liquidity * 100n >= most * 95n
}

/** Of this slippage. Amounts grow with the liquidity, so what is short at a price scales it down. */
function liquidityWithin(own: OwnDeposit, slippageBps: number): bigint {
  const { bounds, atHand, kept } = own
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
  const { lower, upper } = sqrtPricesAfterSlippage(sqrtPriceX96, slippageBps)
  const now = atHand(sqrtPriceX96)
  const { amount0, amount1 } = { v3: () => keptAmounts(kept, now), v4: () => now }[own.version]()
  let liquidity =
    orNothing(() => getLiquidityForAmounts(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, amount0 ?? 0n, amount1 ?? 0n)) ??
    0n
  // Between these the deposit is never more short of a token than at one of them (`ownMoveOf` of the engine looks at the same).
  const between = [...own.bends, sqrtPriceAX96, sqrtPriceBX96].filter((bend) => lower < bend && bend < upper)
  for (const price of [sqrtPriceX96, lower, upper, ...between]) {
    const has = atHand(price)
    for (let turn = 0; turn < turns && liquidity > 0n; turn += 1) {
      const takes = takenAt(own, liquidity, price)
      if (takes.amount0 <= has.amount0 && takes.amount1 <= has.amount1) break
      liquidity = lesser(scaled(liquidity, has.amount0, takes.amount0), scaled(liquidity, has.amount1, takes.amount1))
      if (turn === turns - 1) liquidity = 0n
    }
  }
  return liquidity
}

/** Rounding up is what a first scaling leaves. */
const turns = 8

/** What calldata made for this liquidity takes at another price: v3 fixes the amounts, v4 the liquidity. */
function takenAt({ version, bounds }: OwnDeposit, liquidity: bigint, price: bigint): Amounts {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
  const at = (sqrtPrice: bigint, amount: bigint) =>
    getAmountsForLiquidity(sqrtPrice, sqrtPriceAX96, sqrtPriceBX96, amount, true)
  if (version === 'v4' || price === sqrtPriceX96) return at(price, liquidity)
  const asked = at(sqrtPriceX96, liquidity)
  const given = orNothing(() =>
    getLiquidityForAmounts(price, sqrtPriceAX96, sqrtPriceBX96, asked.amount0, asked.amount1),
  )
  return given === null ? { amount0: 0n, amount1: 0n } : at(price, given)
}

function scaled(liquidity: bigint, has: bigint, takes: bigint): bigint {
  if (takes <= has) return liquidity
  const less = (liquidity * has) / takes
  return less > 0n && less === liquidity ? less - 1n : less - (less >> 40n)
}

function sized({ bounds }: OwnDeposit, liquidity: bigint): Amounts & { readonly liquidity: bigint } {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
  return { liquidity, ...getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, true) }
}

/** Close to the end of a range a pool takes no deposit of such amounts. */
function orNothing(liquidity: () => bigint): bigint | null {
  try {
    return liquidity()
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function lessAtHand({ deposit }: KeptDeposit, { liquidity }: FittedOwn): ToolError {
  const message = 'The position gives less now than what was planned to be deposited. Nothing was signed.'
  const details = [{ message: 'Differs: liquidity.', planned: `${deposit.liquidity}`, now: `${liquidity}` }]
  return new ToolError('SIMULATION_DRIFT', message, { details })
}
