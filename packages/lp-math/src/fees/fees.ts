import { LpMathError, requirePoolFeePips } from '../lp-math-error.ts'
import { requireLiquidity } from '../sqrt-price/sqrt-price.ts'
import { Q128 } from '../integers/integers.ts'
import { eachInSteps, inOneGo } from '../steps/each-in-steps.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'

/**
 * Fees (smallest units, rounded down) a liquidity earned while the growth inside its range (Q128.128, modulo 2^256) went from `last`
 * to `now`. Source: v3 whitepaper eq. 6.28; Position of v3-core (cut to 128 bits there) and v4-core.
 * @throws LpMathError `LIQUIDITY_OUT_OF_RANGE`.
 */
export function feesOwed(liquidity: bigint, feeGrowthInsideNowX128: bigint, feeGrowthInsideLastX128: bigint): bigint {
  requireLiquidity(liquidity)
  const growth = BigInt.asUintN(256, feeGrowthInsideNowX128 - feeGrowthInsideLastX128)
  return BigInt.asUintN(128, (growth * liquidity) >> 128n)
}

/**
 * Fee growth per unit of liquidity (Q128.128) inside a range, from the pool's global growth and the growth outside its two ticks.
 * All of it counts modulo 2^256, as in the contracts: only differences of results mean anything.
 * Source: v3 whitepaper eq. 6.17 to 6.19; Tick of v3-core, StateLibrary of v4-core.
 * @throws LpMathError `RANGE_EMPTY` unless `tickLower` is below `tickUpper`.
 */
export function getFeeGrowthInside(options: FeeGrowthInsideOptions): FeeGrowthInside {
  const { tickCurrent, tickLower, tickUpper, lower, upper } = options
  if (!(tickLower < tickUpper)) throw new LpMathError('RANGE_EMPTY', 'tickLower is below tickUpper.')
  const inside = (global: bigint, outsideLower: bigint, outsideUpper: bigint): bigint => {
    const below = tickCurrent >= tickLower ? outsideLower : global - outsideLower
    const above = tickCurrent < tickUpper ? outsideUpper : global - outsideUpper
    return BigInt.asUintN(256, global - below - above)
  }
  return {
    feeGrowthInside0X128: inside(
      options.feeGrowthGlobal0X128,
      lower.feeGrowthOutside0X128,
      upper.feeGrowthOutside0X128,
    ),
    feeGrowthInside1X128: inside(
      options.feeGrowthGlobal1X128,
      lower.feeGrowthOutside1X128,
      upper.feeGrowthOutside1X128,
    ),
  }
}

/** As the contracts give them: `lower` and `upper` are the two ticks' own records, Q128.128 per unit of liquidity. */
export type FeeGrowthInsideOptions = {
  tickCurrent: number
  tickLower: number
  tickUpper: number
  feeGrowthGlobal0X128: bigint
  feeGrowthGlobal1X128: bigint
  lower: FeeGrowthOutside
  upper: FeeGrowthOutside
}

/** Fee growth per unit of liquidity (Q128.128, modulo 2^256) on the other side of a tick, as its record holds it. */
export type FeeGrowthOutside = { feeGrowthOutside0X128: bigint; feeGrowthOutside1X128: bigint }

/** Fee growth per unit of liquidity (Q128.128, modulo 2^256) inside a range, for either token. */
export type FeeGrowthInside = { feeGrowthInside0X128: bigint; feeGrowthInside1X128: bigint }

/**
 * The whole fee of a v4 swap in millionths of the input: the protocol's part first, the liquidity providers' on the rest, rounded up.
 * Source: ProtocolFeeLibrary `calculateSwapFee` of v4-core.
 * @throws LpMathError `FEE_OUT_OF_RANGE` unless both are integers from 0 to 1,000,000.
 */
export function v4SwapFee(protocolFeePips: number, lpFeePips: number): number {
  requirePips(protocolFeePips, 'protocolFeePips')
  requirePips(lpFeePips, 'lpFeePips')
  return protocolFeePips + lpFeePips - Math.floor((protocolFeePips * lpFeePips) / 1_000_000)
}

function requirePips(pips: number, field: string): void {
  if (Number.isInteger(pips) && pips >= 0 && pips <= 1_000_000) return
  throw new LpMathError('FEE_OUT_OF_RANGE', `${field} is an integer number of millionths from 0 to 1000000.`)
}

/**
 * Fee growth per unit of liquidity (Q128.128) inside a range over a run of consecutive Swap logs, without an archive node.
 *
 * A swap that moves the sqrt price by d inside the range takes L * d in, and a fee of f/(1-f) of that, shared by the same L: the
 * liquidity cancels, and the growth follows from the price path alone, ticks crossed on the way included (v3 whitepaper
 * eq. 6.14 and 6.16 put into 6.2.3). Only a swap too small to move the price counts by its amount and active liquidity.
 *
 * Approximations: each step's unit roundings, and the last step's rounding of the price, which the contracts add to the fee (at most
 * three units of input over L a step and one unit of the sqrt price a swap). Growth by donations and flash loans is not in Swap
 * logs. Where nobody had liquidity in a stretch of the range the price jumped without paying: the path counts it as paid, which is
 * right for a range that held liquidity all the time and for no other; for others there is `boundByInput`.
 *
 * In steps as of `eachInSteps`.
 * @throws LpMathError `SWAP_LOGS_INCONSISTENT` when a log's signs contradict its price, `RANGE_EMPTY`, `FEE_OUT_OF_RANGE`,
 * `TICK_OUT_OF_RANGE`.
 */
export function* feeGrowthFromSwapsInSteps(options: FeeGrowthFromSwapsOptions): Generator<number, FeeGrowth> {
  if (options.tickLower >= options.tickUpper) throw new LpMathError('RANGE_EMPTY', 'tickLower is below tickUpper.')
  const range = { lower: getSqrtPriceAtTick(options.tickLower), upper: getSqrtPriceAtTick(options.tickUpper) }
  const growth: FeeGrowth = { growth0X128: 0n, growth1X128: 0n }
  const deepest = options.boundByInput === true ? yield* deepestOf(options) : null
  let { sqrtPriceX96: before, liquidity } = options.start
  let boundSwaps = 0
  yield* eachInSteps(options.swaps, (swap) => {
    const zeroForOne = isZeroForOne(swap, before)
    const rate = lpFeeRate(swap.feePips ?? options.feePips, options.protocolFee, zeroForOne)
    let grown =
      swap.sqrtPriceX96After === before
        ? growthWithoutMove(swap, zeroForOne, rate, range)
        : growthAlongPath(before, swap.sqrtPriceX96After, zeroForOne, rate, range)
    const paid = deepest === null ? grown : growthPaid(swap, liquidity, deepest, zeroForOne, rate)
    if (grown * 1000n > paid * 1001n) boundSwaps += 1
    if (grown > paid) grown = paid
    if (zeroForOne) growth.growth0X128 += grown
    else growth.growth1X128 += grown
    before = swap.sqrtPriceX96After
    liquidity = swap.liquidity
  })
  return deepest === null ? growth : { ...growth, boundSwaps }
}

/**
 * With `boundByInput` no swap counts for more than the fee it paid over the liquidity it met: the lesser of that before and after it,
 * leaving out what is below a thousandth of the deepest of all these swaps. Where the way led through less than at both ends this is
 * too little, never too much. `start.liquidity` is used for that alone.
 *
 * `swaps` in the order of the chain, none left out, after the state `start`. `feePips` is the whole fee in millionths, protocol's part
 * included, for swaps that do not carry their own (v4 logs do).
 */
export type FeeGrowthFromSwapsOptions = {
  swaps: readonly SwapLog[]
  start: { sqrtPriceX96: bigint; liquidity?: bigint }
  feePips: number
  protocolFee?: ProtocolFee
  tickLower: number
  tickUpper: number
  boundByInput?: boolean
}

/** A Swap log seen from the pool, as v3 writes it: positive came in, negative went out. v4 writes the trader's side: negate both. */
export type SwapLog = {
  amount0: bigint
  amount1: bigint
  sqrtPriceX96After: bigint
  liquidity: bigint
  feePips?: number
}

/** `boundSwaps`, with `boundByInput`, is how many swaps paid less than their path says. */
export type FeeGrowth = { growth0X128: bigint; growth1X128: bigint; boundSwaps?: number }

/** What `feeGrowthFromSwapsInSteps` comes to, at once. Throws what it throws. */
export function feeGrowthFromSwaps(options: FeeGrowthFromSwapsOptions): FeeGrowth {
  return inOneGo(feeGrowthFromSwapsInSteps(options))
}

/**
 * Whether a Swap log, seen from the pool, took token0 in: known by the price, and where the swap was too small to move it, by the signs.
 * A swap through a stretch without liquidity moves the price for nothing.
 * @throws LpMathError `SWAP_LOGS_INCONSISTENT` when the signs contradict the price.
 */
export function isZeroForOne(
  swap: { amount0: bigint; amount1: bigint; sqrtPriceX96After: bigint },
  sqrtPriceX96Before: bigint,
): boolean {
  const { amount0, amount1, sqrtPriceX96After } = swap
  const moved = sqrtPriceX96After !== sqrtPriceX96Before
  const zeroForOne = moved ? sqrtPriceX96After < sqrtPriceX96Before : amount0 > 0n
  const [amountIn, amountOut] = zeroForOne ? [amount0, amount1] : [amount1, amount0]
  if (amountIn < 0n || amountOut > 0n || (!moved && amountIn === 0n)) {
    throw new LpMathError(
      'SWAP_LOGS_INCONSISTENT',
      'Token0 in lowers the price, token1 in raises it: the logs have a gap or are seen from the trader.',
    )
  }
  return zeroForOne
}

type Rate = { numerator: bigint; ofInput: bigint; ofInputLessFee: bigint }
type SqrtRange = { lower: bigint; upper: bigint }

function* deepestOf({ swaps, start }: FeeGrowthFromSwapsOptions): Generator<number, bigint> {
  let deepest = start.liquidity ?? 0n
  yield* eachInSteps(swaps, ({ liquidity }) => {
    if (liquidity > deepest) deepest = liquidity
  })
  return deepest
}

/** The providers' part of a fee, over the input with and without the whole fee. */
function lpFeeRate(feePips: number, protocolFee: ProtocolFee | undefined, zeroForOne: boolean): Rate {
  requirePoolFeePips(feePips)
  const fee = BigInt(feePips)
  const [part, whole] = lpPart(fee, protocolFee, zeroForOne)
  return { numerator: part, ofInput: 1_000_000n * whole, ofInputLessFee: (1_000_000n - fee) * whole }
}

function lpPart(fee: bigint, protocolFee: ProtocolFee | undefined, zeroForOne: boolean): [part: bigint, whole: bigint] {
  if (protocolFee === undefined) return [fee, 1n]
  if (protocolFee.version === 'v4') {
    const pips = BigInt(zeroForOne ? protocolFee.pips0 : protocolFee.pips1)
    return [fee > pips ? fee - pips : 0n, 1n]
  }
  const denominator = BigInt(zeroForOne ? protocolFee.denominator0 : protocolFee.denominator1)
  return denominator === 0n ? [fee, 1n] : [fee * (denominator - 1n), denominator]
}

function growthAlongPath(before: bigint, after: bigint, zeroForOne: boolean, rate: Rate, range: SqrtRange): bigint {
  const [low, high] = before < after ? [before, after] : [after, before]
  const from = low > range.lower ? low : range.lower
  const to = high < range.upper ? high : range.upper
  if (from >= to) return 0n
  // Input per unit of liquidity: d(1/sqrtP) of token0, d(sqrtP) of token1; sqrt prices carry 96 fractional bits, growth 128.
  return zeroForOne
    ? (((to - from) << 224n) * rate.numerator) / (from * to * rate.ofInputLessFee)
    : (((to - from) << 32n) * rate.numerator) / rate.ofInputLessFee
}

function growthWithoutMove(swap: SwapLog, zeroForOne: boolean, rate: Rate, range: SqrtRange): bigint {
  const isInside = swap.sqrtPriceX96After >= range.lower && swap.sqrtPriceX96After < range.upper
  const amountIn = zeroForOne ? swap.amount0 : swap.amount1
  if (!isInside || swap.liquidity <= 0n || amountIn <= 0n) return 0n
  return (amountIn * rate.numerator * Q128) / (rate.ofInput * swap.liquidity)
}

function growthPaid(
  swap: SwapLog,
  liquidityBefore: bigint | undefined,
  deepest: bigint,
  zeroForOne: boolean,
  rate: Rate,
): bigint {
  const ends = [liquidityBefore ?? swap.liquidity, swap.liquidity].filter((one) => one > 0n && one * 1000n >= deepest)
  const met = ends.reduce((least, one) => (one < least ? one : least), deepest)
  if (met <= 0n) return 0n
  return ((zeroForOne ? swap.amount0 : swap.amount1) * rate.numerator * Q128) / (rate.ofInput * met)
}

/**
 * Reads the packed protocol fee of a pool's slot0, a part for each input token: in v3 one n-th of the fee (4 bits each, 0 none),
 * in v4 millionths of the input (12 bits each). Source: UniswapV3Pool `feeProtocol`; ProtocolFeeLibrary of v4-core.
 */
export function unpackProtocolFee(version: 'v3' | 'v4', packed: number): ProtocolFee {
  return version === 'v3'
    ? { version, denominator0: packed % 16, denominator1: packed >> 4 }
    : { version, pips0: packed % 4096, pips1: packed >> 12 }
}

/** What the protocol takes when token0, or token1, is the input: one n-th of the fee (v3), or millionths of the input (v4). */
export type ProtocolFee =
  | { version: 'v3'; denominator0: number; denominator1: number }
  | { version: 'v4'; pips0: number; pips1: number }
