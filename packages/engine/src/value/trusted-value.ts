import { getAmountsForLiquidity, getSqrtPriceAtTick, integerSqrt } from '@svc/lp-math'
import type { PriceBand } from '@svc/amm'

/** What is known of a token's price, by lower-case address; `null` where no named source says anything. */
export type TrustedPrices = (token: string) => TrustedPrice | null

export type TrustedPrice = Pick<PriceBand, 'lowE18' | 'midE18' | 'highE18' | 'basis' | 'depthUsdMicros'> & {
  readonly decimals: number
}

/** Where in the bands of all tokens something is valued; the same for both sides of a comparison. */
export type Edge = 'low' | 'mid' | 'high'

/** What a wallet holds or moves. Amounts and liquidity are not negative. */
export type Holdings = {
  /** Smallest units by lower-case address. */
  readonly tokens: ReadonlyMap<string, bigint>
  readonly positions: readonly RangePosition[]
  readonly shares: readonly PairShares[]
}

/** Liquidity of v3 or v4 between two ticks. */
export type RangePosition = {
  /** In the pool's order, lower case. */
  readonly token0: string
  readonly token1: string
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
}

/** Shares of a v2 pair, and what the whole pair holds. */
export type PairShares = {
  readonly pair: string
  readonly token0: string
  readonly token1: string
  readonly amount: bigint
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** What a burn of its shares counts with, the protocol's pending part included. */
  readonly burnSupply: bigint
}

/**
 * Worth of holdings in millionths of a US dollar at one edge of every band, rounded down. Whatever the pool says now, a position
 * is worth what it would hold at the trusted price, and a share its part of what the pair would hold there: 2 * sqrt(x * y * p0 *
 * p1), which does not rise when somebody unbalances the pair. Tokens without a trusted price count as nothing, and so do positions
 * and shares with such a token; of a share that leaves, the other side counts.
 */
export function valueAt(
  { tokens, positions, shares }: Holdings,
  prices: TrustedPrices,
  edge: Edge,
  side: 'arrives' | 'leaves' = 'arrives',
): bigint {
  let usdMicros = 0n
  for (const [token, amount] of tokens) usdMicros += tokenValue(token, amount, prices, edge)
  for (const position of positions) usdMicros += positionValue(position, prices, edge)
  for (const share of shares) usdMicros += shareValue(share, prices, edge, side)
  return usdMicros
}

/** The tokens that holdings are made of, each once. */
export function tokensIn({ tokens, positions, shares }: Holdings): ReadonlySet<string> {
  const held = [...tokens].flatMap(([token, amount]) => (amount === 0n ? [] : [token]))
  return new Set([...held, ...[...positions, ...shares].flatMap(({ token0, token1 }) => [token0, token1])])
}

/** The square root price of token1 per token0 in smallest units, by the trusted prices of both; `null` where one has none. */
export function trustedSqrtPriceX96(token0: string, token1: string, prices: TrustedPrices, edge: Edge): bigint | null {
  const [one, other] = [prices(token0), prices(token1)]
  if (one === null || other === null) return null
  return sqrtPriceOf(one, at(one, edge), other, at(other, edge))
}

/** The lowest and the highest square root price within the bands of both tokens; `null` where one has no trusted price. */
export function trustedSqrtPriceBand(
  token0: string,
  token1: string,
  prices: TrustedPrices,
): { readonly low: bigint; readonly high: bigint } | null {
  const [one, other] = [prices(token0), prices(token1)]
  if (one === null || other === null) return null
  return {
    low: sqrtPriceOf(one, at(one, 'low'), other, at(other, 'high')),
    high: sqrtPriceOf(one, at(one, 'high'), other, at(other, 'low')),
  }
}

/** Whether a feed says it all: with no named pool beside it, nothing holds the price to those of other tokens. */
export function isFedAlone({ basis, depthUsdMicros }: Pick<TrustedPrice, 'basis' | 'depthUsdMicros'>): boolean {
  return basis === 'feed' && depthUsdMicros === 0n
}

/** Width of a band in hundredths of a percent of its lower edge, rounded up. */
export function bandWidthBps({ lowE18, highE18 }: Pick<PriceBand, 'lowE18' | 'highE18'>): number {
  if (lowE18 <= 0n) return Infinity
  return Number(((highE18 - lowE18) * 10_000n + lowE18 - 1n) / lowE18)
}

/** Where only current prices are known, the edges say nothing: the estimate is taken in their place. */
function at(price: TrustedPrice, edge: Edge): bigint {
  if (edge === 'mid' || price.basis === 'cold') return price.midE18
  return edge === 'low' ? price.lowE18 : price.highE18
}

function tokenValue(token: string, amount: bigint, prices: TrustedPrices, edge: Edge): bigint {
  const price = prices(token)
  return price === null ? 0n : (amount * at(price, edge)) / 10n ** BigInt(price.decimals + 12)
}

function positionValue(position: RangePosition, prices: TrustedPrices, edge: Edge): bigint {
  const { token0, token1, tickLower, tickUpper, liquidity } = position
  const sqrtPriceX96 = trustedSqrtPriceX96(token0, token1, prices, edge)
  if (sqrtPriceX96 === null) return 0n
  const [lower, upper] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  const { amount0, amount1 } = getAmountsForLiquidity(sqrtPriceX96, lower, upper, liquidity, false)
  return tokenValue(token0, amount0, prices, edge) + tokenValue(token1, amount1, prices, edge)
}

function shareValue(
  { token0, token1, ...share }: PairShares,
  prices: TrustedPrices,
  edge: Edge,
  side: 'arrives' | 'leaves',
): bigint {
  if (share.burnSupply === 0n) return 0n
  const [value0, value1] = [
    tokenValue(token0, share.reserve0, prices, edge),
    tokenValue(token1, share.reserve1, prices, edge),
  ]
  const isHalf = prices(token0) === null || prices(token1) === null
  const whole = isHalf ? value0 + value1 : 2n * integerSqrt(value0 * value1)
  return isHalf && side === 'arrives' ? 0n : (whole * share.amount) / share.burnSupply
}

function sqrtPriceOf(one: TrustedPrice, oneE18: bigint, other: TrustedPrice, otherE18: bigint): bigint {
  if (otherE18 <= 0n) return 0n
  const above = (oneE18 * 10n ** BigInt(other.decimals)) << 192n
  return integerSqrt(above / (otherE18 * 10n ** BigInt(one.decimals)))
}
