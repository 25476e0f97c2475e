export { AmountError, type AmountErrorReason } from './amounts/amounts.ts'
export { formatAmount } from './amounts/amounts.ts'
export { parseAmount } from './amounts/amounts.ts'
export { usdMicrosFromAmount } from './amounts/amounts.ts'
export type { BacktestOptions, GasUsd } from './backtest/backtest-options.ts'
export type { BacktestStrategy } from './backtest/backtest-strategy.ts'
export { laterWinners } from './backtest/later-winners.ts'
export { replayFees, type ReplayedFees, type ReplayedPosition } from './backtest/replay-fees.ts'
export { type BacktestResult, replayStrategies } from './backtest/later-winners.ts'
export {
  type PoolEvents,
  type PoolTrade,
  recordTrade,
  type StateAtStart,
  type TradeSpan,
} from './backtest/record-trade.ts'
export { maxDrawdown, sharpeRatio } from './backtest/equity-metrics.ts'
export type { EquityPoint, FeesBySwap, Rebalance, StrategyRange, StrategyResult } from './backtest/strategy-result.ts'
export { barsFrom } from './backtest/later-winners.ts'
export { type BarRow, type BarsFromRows, barsFromRows } from './bars/bars-from-rows.ts'
export {
  barsFromSwaps,
  barsFromSwapsInSteps,
  type BarsFromSwapsOptions,
  type StateBeforeSwaps,
  type TimedSwapLog,
} from './bars/bars-from-swaps-in-steps.ts'
export { type Bars, worthOfBars } from './bars/bars.ts'
export { checkBars } from './bars/check-bars.ts'
export { isTraded, type TradedBars } from './bars/bars.ts'
export { resampleBars } from './bars/resample-bars.ts'
export { arbitrageShare, type ArbitrageShareOptions } from './closed-form/arbitrage-share.ts'
export { breakEvenSigma } from './closed-form/expected-il.ts'
export { createOccupationTable, type OccupationTable } from './closed-form/create-occupation-table.ts'
export { expectedExitYears } from './closed-form/expected-exit-years.ts'
export { expectedIlOfMeans } from './closed-form/expected-il.ts'
export { expectedHodlValue, expectedIl } from './closed-form/expected-il.ts'
export { expectedLvr } from './closed-form/expected-il.ts'
export { expectedPositionValue } from './closed-form/expected-il.ts'
export { hodlValue, impermanentLoss, positionAmounts, positionValue } from './closed-form/position-value.ts'
export { lvrRate } from './closed-form/expected-il.ts'
export { expectedPrice, type PriceBounds } from './closed-form/price-model.ts'
export type { PriceModel } from './closed-form/price-model.ts'
export { stayInRangeProbability } from './closed-form/stay-in-range-probability.ts'
export { terminalInRangeProbability } from './closed-form/stay-in-range-probability.ts'
export { timeInRange } from './closed-form/occupation-density.ts'
export {
  createFeeModel,
  type FeeModel,
  type FeeModelOptions,
  ownLiquidity,
  type YearlyFees,
} from './fee-model/create-fee-model.ts'
export { feePace, type FeePace } from './fee-model/fee-pace.ts'
export { liquidityProfile, type LiquidityProfile, type LiquidityProfileOptions } from './fee-model/liquidity-profile.ts'
export { paceError } from './fee-model/fee-pace.ts'
export {
  type FeeGrowth,
  feeGrowthFromSwaps,
  feeGrowthFromSwapsInSteps,
  type FeeGrowthFromSwapsOptions,
  type SwapLog,
} from './fees/fee-growth-from-swaps-in-steps.ts'
export { feesOwed } from './fees/fees.ts'
export {
  type FeeGrowthInside,
  type FeeGrowthInsideOptions,
  type FeeGrowthOutside,
  getFeeGrowthInside,
} from './fees/fees.ts'
export { type ProtocolFee, unpackProtocolFee } from './fees/fee-growth-from-swaps-in-steps.ts'
export { v4SwapFee } from './fees/fees.ts'
export { integerSqrt, larger, smaller } from './integers/integers.ts'
export { burnAmountsWithSlippage } from './liquidity/slippage.ts'
export { type Amounts, getAmountsForLiquidity } from './liquidity/amounts.ts'
export { getLiquidityForAmount0 } from './liquidity/amounts.ts'
export { getLiquidityForAmount1 } from './liquidity/amounts.ts'
export { getLiquidityForAmounts } from './liquidity/amounts.ts'
export { maxAmountsWithSlippage } from './liquidity/slippage.ts'
export { mintAmountsWithSlippage } from './liquidity/slippage.ts'
export type { SlippageOptions } from './liquidity/slippage.ts'
export { sqrtPricesAfterSlippage } from './liquidity/slippage.ts'
export { LpMathError, type LpMathErrorCode } from './lp-math-error.ts'
export { erfc } from './normal/normal.ts'
export { inverseNormalCdf, studentDeviate } from './normal/inverse-normal-cdf.ts'
export { normalCdf } from './normal/normal.ts'
export { normalDensity } from './closed-form/expected-il.ts'
export { applyPoolEvent } from './pool-replay/apply-pool-event.ts'
export { applyV4PoolEvent } from './pool-replay/apply-v4-pool-event.ts'
export { eventDifferences, type FieldDifference, v4EventDifferences } from './pool-replay/event-differences.ts'
export type { FeeListener, FeePayment } from './pool-replay/fee-payment.ts'
export type { SwapOrder } from './pool-replay/plan-swap.ts'
export {
  type EventAmounts,
  type NamedEvent,
  type PoolEvent,
  type PositionChange,
  positionKey,
  type PositionRange,
  type SwapFields,
} from './pool-replay/pool-event.ts'
export {
  createPoolState,
  type Observation,
  type PoolState,
  type PositionState,
  type TickRecord,
  type TickState,
} from './pool-replay/pool-state.ts'
export { swapInPool } from './pool-replay/apply-swap-event.ts'
export { type FeeTracker, trackFees, type TrackedPosition } from './pool-replay/track-fees.ts'
export type { V4PoolEvent, V4PositionChange, V4SwapFields } from './pool-replay/v4-pool-event.ts'
export {
  createV4PoolState,
  type V4PoolState,
  type V4PoolTerms,
  v4PositionKey,
  type V4PositionRange,
  type V4PositionState,
} from './pool-replay/v4-pool-state.ts'
export { invertRange, type PriceRange } from './prices/prices.ts'
export { priceFromSqrtPrice } from './prices/prices.ts'
export { priceFromTick } from './prices/prices.ts'
export { sqrtPriceFromAmounts } from './prices/prices.ts'
export { sqrtPriceFromPrice } from './prices/prices.ts'
export { tickFromPrice } from './prices/prices.ts'
export {
  createBrownianBridge,
  type BrownianBridge,
  type BrownianBridgeOptions,
} from './random/create-brownian-bridge.ts'
export { createRandom, type Random } from './random/create-random.ts'
export { createSobol, MAX_SOBOL_DIMENSIONS, type Sobol, type SobolOptions } from './random/create-sobol.ts'
export { feesAhead, type FeesAheadOptions } from './forecast/fees-ahead.ts'
export { type Interval, intervalOf, intervalOfDraws, timesForecast } from './forecast/interval.ts'
export { leadAhead } from './forecast/lead-ahead.ts'
export type { LogForecast } from './forecast/level-ahead.ts'
export { volatilityAhead, type VolatilityAheadOptions } from './forecast/volatility-ahead.ts'
export {
  type YieldDraws,
  yieldIntervals,
  type YieldIntervals,
  type YieldOutlook,
  yieldsAhead,
} from './forecast/yields-ahead.ts'
export { candidateRanges, chooseRange, type ChosenRanges, type LabelledRange } from './range-choice/choose-range.ts'
export {
  createRangeAnalyser,
  type RangeAnalyser,
  type RangeAnalysis,
  type RangeAtSigma,
  type RangeYields,
  usableRange,
  type UsableRange,
  type UsableRangeOptions,
} from './range-choice/create-range-analyser.ts'
export { feeErrorPct } from './range-choice/net-apr-error.ts'
export {
  netAprError,
  netAprErrors,
  type NetAprErrors,
  type NetAtSigma,
  type NetYields,
  type RangeDoubts,
} from './range-choice/net-apr-error.ts'
export type { RangeMarket } from './range-choice/create-range-analyser.ts'
export { createSimulation, type Simulation, type SimulationOptions } from './simulation/create-simulation.ts'
export { type Estimate, farthestOff, standardErrorsOff } from './simulation/estimate.ts'
export { priceFan, type PriceFan } from './simulation/price-fan.ts'
export type { RangeEstimates } from './simulation/range-estimates.ts'
export {
  type RebalancingEstimates,
  type RebalancingOptions,
  simulateRebalancing,
} from './simulation/simulate-rebalancing.ts'
export {
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from './sqrt-price/sqrt-price.ts'
export { eachInSteps } from './steps/each-in-steps.ts'
export { computeSwapStep, type SwapStep, type SwapStepOptions } from './swaps/compute-swap-step.ts'
export type { TickLiquidity } from './swaps/create-tick-cursor.ts'
export { solveSwapToRatio, type SwapToRatio, type SwapToRatioOptions } from './swaps/solve-swap-to-ratio.ts'
export { swapThroughTicks } from './swaps/solve-swap-to-ratio.ts'
export type { SwapOptions, SwapResult } from './swaps/walk-swap.ts'
export { fullRangeTicks } from './ticks/ticks.ts'
export { getSqrtPriceAtTick } from './ticks/sqrt-price-of-tick.ts'
export { getTickAtSqrtPrice } from './ticks/sqrt-price-of-tick.ts'
export { invertTicks, type TickRange } from './ticks/ticks.ts'
export { nearestUsableTick } from './ticks/ticks.ts'
export { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from './ticks/ticks.ts'
export { tickSpacingForFee } from './ticks/ticks.ts'
export { amountsForV2Burn } from './v2/shares.ts'
export { getAmountIn } from './v2/shares.ts'
export { getAmountOut } from './v2/shares.ts'
export { liquidityForV2Mint } from './v2/shares.ts'
export { quoteLiquidity } from './v2/shares.ts'
export { v2ProtocolFeeLiquidity } from './v2/shares.ts'
export { type PositionInfo, unpackPositionInfo } from './v4/unpack-position-info.ts'
export {
  classifyVolatility,
  type EwmaErrorOptions,
  ewmaStandardError,
  type VolatilityClass,
} from './volatility/sigma.ts'
export {
  blendVolatility,
  type BlendedVolatility,
  driftVariance,
  type EpisodeVolatility,
  type MarketVolatility,
  mostLogDistance,
  mostMemoryWeight,
} from './volatility/blend-volatility.ts'
export { ewmaSigma } from './volatility/sigma.ts'
export { impliedSigma, type ImpliedSigmaOptions } from './volatility/sigma.ts'
export { realisedSigma } from './volatility/sigma.ts'
