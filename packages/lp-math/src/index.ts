export { AmountError, type AmountErrorReason } from './amounts/amount-error.ts'
export { formatAmount } from './amounts/format-amount.ts'
export { parseAmount } from './amounts/parse-amount.ts'
export { usdMicrosFromAmount } from './amounts/usd-micros-from-amount.ts'
export {
  feeGrowthFromSwaps,
  type FeeGrowth,
  type FeeGrowthFromSwapsOptions,
  type SwapLog,
} from './fees/fee-growth-from-swaps.ts'
export { feesOwed } from './fees/fees-owed.ts'
export {
  type FeeGrowthInside,
  type FeeGrowthInsideOptions,
  type FeeGrowthOutside,
  getFeeGrowthInside,
} from './fees/get-fee-growth-inside.ts'
export { type ProtocolFee, unpackProtocolFee } from './fees/unpack-protocol-fee.ts'
export { v4SwapFee } from './fees/v4-swap-fee.ts'
export { integerSqrt } from './integers/integer-sqrt.ts'
export type { Bars } from './bars/bars.ts'
export type { PriceBounds } from './closed-form/price-bounds.ts'
export type { PriceModel } from './closed-form/price-model.ts'
export {
  createBrownianBridge,
  type BrownianBridge,
  type BrownianBridgeOptions,
} from './random/create-brownian-bridge.ts'
export { createRandom, type Random } from './random/create-random.ts'
export { createSobol, MAX_SOBOL_DIMENSIONS, type Sobol, type SobolOptions } from './random/create-sobol.ts'
export type { Estimate } from './simulation/estimate.ts'
export { burnAmountsWithSlippage } from './liquidity/burn-amounts-with-slippage.ts'
export { type Amounts, getAmountsForLiquidity } from './liquidity/get-amounts-for-liquidity.ts'
export { getLiquidityForAmount0 } from './liquidity/get-liquidity-for-amount0.ts'
export { getLiquidityForAmount1 } from './liquidity/get-liquidity-for-amount1.ts'
export { getLiquidityForAmounts } from './liquidity/get-liquidity-for-amounts.ts'
export { maxAmountsWithSlippage } from './liquidity/max-amounts-with-slippage.ts'
export { mintAmountsWithSlippage } from './liquidity/mint-amounts-with-slippage.ts'
export type { SlippageOptions } from './liquidity/slippage-options.ts'
export { LpMathError, type LpMathErrorCode } from './lp-math-error.ts'
export { erfc } from './normal/erfc.ts'
export { inverseNormalCdf } from './normal/inverse-normal-cdf.ts'
export { normalCdf } from './normal/normal-cdf.ts'
export { normalDensity } from './normal/normal-density.ts'
export { invertRange, type PriceRange } from './prices/invert-range.ts'
export { priceFromSqrtPrice } from './prices/price-from-sqrt-price.ts'
export { priceFromTick } from './prices/price-from-tick.ts'
export { sqrtPriceFromAmounts } from './prices/sqrt-price-from-amounts.ts'
export { sqrtPriceFromPrice } from './prices/sqrt-price-from-price.ts'
export { tickFromPrice } from './prices/tick-from-price.ts'
export { getAmount0Delta } from './sqrt-price/get-amount0-delta.ts'
export { getAmount1Delta } from './sqrt-price/get-amount1-delta.ts'
export { getNextSqrtPriceFromInput } from './sqrt-price/get-next-sqrt-price-from-input.ts'
export { getNextSqrtPriceFromOutput } from './sqrt-price/get-next-sqrt-price-from-output.ts'
export { computeSwapStep, type SwapStep, type SwapStepOptions } from './swaps/compute-swap-step.ts'
export type { TickLiquidity } from './swaps/create-tick-cursor.ts'
export { solveSwapToRatio, type SwapToRatio, type SwapToRatioOptions } from './swaps/solve-swap-to-ratio.ts'
export { type SwapOptions, type SwapResult, swapThroughTicks } from './swaps/swap-through-ticks.ts'
export { fullRangeTicks } from './ticks/full-range-ticks.ts'
export { getSqrtPriceAtTick } from './ticks/get-sqrt-price-at-tick.ts'
export { getTickAtSqrtPrice } from './ticks/get-tick-at-sqrt-price.ts'
export { invertTicks, type TickRange } from './ticks/invert-ticks.ts'
export { nearestUsableTick } from './ticks/nearest-usable-tick.ts'
export { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from './ticks/tick-bounds.ts'
export { tickSpacingForFee } from './ticks/tick-spacing-for-fee.ts'
export { amountsForV2Burn } from './v2/amounts-for-v2-burn.ts'
export { getAmountIn } from './v2/get-amount-in.ts'
export { getAmountOut } from './v2/get-amount-out.ts'
export { liquidityForV2Mint } from './v2/liquidity-for-v2-mint.ts'
export { quoteLiquidity } from './v2/quote-liquidity.ts'
export { v2ProtocolFeeLiquidity } from './v2/v2-protocol-fee-liquidity.ts'
export { type PositionInfo, unpackPositionInfo } from './v4/unpack-position-info.ts'
