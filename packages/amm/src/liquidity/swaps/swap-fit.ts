import type { Pool, SwapRecord } from '../../ports.ts'

/**
 * How a swap goes with the state that the log before it left: it `follows`; it `breaks` off, for a log between the two is missing or
 * one of them untrue (or it crossed liquidity that lies between two ticks alone, which its log does not tell); or its amounts are
 * `absurd`: no price between the two pays them.
 *
 * A pair's log tells the reserves before it. In v3 and v4 what went out over what came in, less the fee, is a price between the one
 * before and the one after, whatever liquidity lay between (whitepaper 6.14, 6.16); and where both lie between the same two usable
 * ticks, what went out is the liquidity times the way. Roundings: a unit of the sqrt price, units of the amounts, doubles.
 */
export function swapFit(pool: FittedPool, before: FittedState, swap: FittedSwap): SwapFit {
  const fit = { v2: () => pairFit(before, swap), v3: rangeFit, v4: rangeFit }[pool.version]
  return fit(pool, before, swap)
}

export type SwapFit = 'follows' | 'breaks' | 'absurd'
export type FittedPool = Pick<Pool, 'version' | 'tickSpacing'>
export type FittedState = { readonly sqrtPriceX96: bigint; readonly liquidity: bigint }
export type FittedSwap = Pick<SwapRecord, 'amount0' | 'amount1' | 'sqrtPriceX96' | 'liquidity' | 'fee'>

const near = 1e-6
/** A hole in the logs moves the price by less. */
const absurdFactor = 4
const lnTick = Math.log(1.0001)

function pairFit(before: FittedState, swap: FittedSwap): SwapFit {
  const sqrtPrice = Number(swap.sqrtPriceX96) / 2 ** 96
  const liquidity = Number(swap.liquidity)
  const reserve0 = liquidity / sqrtPrice - Number(swap.amount0)
  const reserve1 = liquidity * sqrtPrice - Number(swap.amount1)
  const slack = near + 4 / liquidity + 4 / reserve0 + 4 / reserve1
  const priceBefore = (Number(before.sqrtPriceX96) / 2 ** 96) ** 2
  const ratio = reserve1 / reserve0 / priceBefore
  if (!(reserve0 > 0 && reserve1 > 0) || !(ratio < absurdFactor && ratio > 1 / absurdFactor)) return 'absurd'
  return Math.abs(ratio - 1) <= slack ? 'follows' : 'breaks'
}

function rangeFit(pool: FittedPool, before: FittedState, swap: FittedSwap): SwapFit {
  const [from, to] = [Number(before.sqrtPriceX96) / 2 ** 96, Number(swap.sqrtPriceX96) / 2 ** 96]
  const zeroForOne = swap.amount0 > 0n || swap.amount1 < 0n
  const [paid, got] = zeroForOne ? [swap.amount0, -swap.amount1] : [swap.amount1, -swap.amount0]
  // A pool never takes in both tokens, nor gives both.
  if (paid < 0n || got < 0n) return 'absurd'
  const [low, high] = from < to ? [from, to] : [to, from]
  const [before0, after0] = [Number(before.liquidity), Number(swap.liquidity)]
  const deepest = Math.max(before0, after0)
  const kept = Number(paid) * (1 - swap.fee / 1e6)
  const [value0, value1] = zeroForOne ? [kept, Number(got)] : [Number(got), kept]
  const slack0 = 10 + (deepest / low) * (2 ** -95 / low + 4e-16)
  const slack1 = 10 + deepest * (2 ** -95 + 4e-16 * high)
  const isBetween = (factor: number) =>
    value1 + slack1 >= ((value0 - slack0) * low * low) / factor &&
    value1 - slack1 <= (value0 + slack0) * high * high * factor
  if (!isBetween(absurdFactor)) return 'absurd'
  const isAstray = from !== to && to < from !== zeroForOne && (paid > 0n || got > 0n)
  if (isAstray || !isBetween(1 + near)) return 'breaks'
  const way = zeroForOne ? high - low : 1 / low - 1 / high
  const slack = zeroForOne ? slack1 : slack0
  // Between the same two usable ticks no position begins or ends, and the liquidity is the log's own. Beyond, it is so by experience.
  const isOne = isOneStretch(low, high, pool.tickSpacing)
  const [one, other] = isOne ? [after0, after0] : [before0, after0]
  const doubt = isOne ? 1 + near : one === other ? 1.01 : 2
  const [least, most] = [Math.min(one, other) / doubt, Math.max(one, other) * doubt]
  return Number(got) + slack >= least * way && Number(got) - slack <= most * way ? 'follows' : 'breaks'
}

function isOneStretch(low: number, high: number, tickSpacing: number | null): boolean {
  const spacing = tickSpacing ?? 1
  const place = (sqrtPrice: number, by: number) => Math.floor(((2 * Math.log(sqrtPrice)) / lnTick + by) / spacing)
  return place(low, -1e-4) === place(high, 1e-4)
}
