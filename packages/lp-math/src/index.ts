export {
  AmountError,
  type AmountErrorReason,
  formatAmount,
  parseAmount,
  usdMicrosFromAmount,
} from './amounts/amounts.ts'
export type { BacktestOptions, GasUsd, BacktestStrategy } from './backtest/backtest-options.ts'
export { laterWinners, type BacktestResult, replayStrategies, barsFrom } from './backtest/replay-strategies.ts'
export { replayFees, type ReplayedFees, type ReplayedPosition } from './backtest/replay-fees.ts'
export {
  type PoolEvents,
  type PoolTrade,
  recordTrade,
  type StateAtStart,
  type TradeSpan,
} from './backtest/record-trade.ts'
export {
  maxDrawdown,
  sharpeRatio,
  type EquityPoint,
  type FeesBySwap,
  type Rebalance,
  type StrategyRange,
  type StrategyResult,
} from './backtest/strategy-result.ts'
export {
  type BarRow,
  type BarsFromRows,
  barsFromRows,
  barsFromSwaps,
  barsFromSwapsInSteps,
  type BarsFromSwapsOptions,
  type StateBeforeSwaps,
  type TimedSwapLog,
} from './bars/make-bars.ts'
export { type Bars, worthOfBars, isTraded, type TradedBars, checkBars, resampleBars } from './bars/bars.ts'
export {
  arbitrageShare,
  type ArbitrageShareOptions,
  breakEvenSigma,
  expectedIlOfMeans,
  expectedHodlValue,
  expectedIl,
  expectedLvr,
  expectedPositionValue,
  lvrRate,
  normalDensity,
} from './closed-form/expected-il.ts'
export { createOccupationTable, type OccupationTable, timeInRange } from './closed-form/occupation.ts'
export {
  expectedExitYears,
  stayInRangeProbability,
  terminalInRangeProbability,
} from './closed-form/stay-in-range-probability.ts'
export { hodlValue, impermanentLoss, positionAmounts, positionValue } from './closed-form/position-value.ts'
export { expectedPrice, type PriceBounds, type PriceModel, priceFan, type PriceFan } from './closed-form/price-model.ts'
export {
  createFeeModel,
  type FeeModel,
  type FeeModelOptions,
  ownLiquidity,
  type YearlyFees,
  feePace,
  type FeePace,
  paceError,
  liquidityProfile,
  type LiquidityProfile,
  type LiquidityProfileOptions,
} from './fee-model/fee-model.ts'
export {
  type FeeGrowth,
  feeGrowthFromSwaps,
  feeGrowthFromSwapsInSteps,
  type FeeGrowthFromSwapsOptions,
  type SwapLog,
  type ProtocolFee,
  unpackProtocolFee,
  feesOwed,
  type FeeGrowthInside,
  type FeeGrowthInsideOptions,
  type FeeGrowthOutside,
  getFeeGrowthInside,
  v4SwapFee,
} from './fees/fees.ts'
export { integerSqrt, larger, smaller } from './integers/integers.ts'
export {
  burnAmountsWithSlippage,
  maxAmountsWithSlippage,
  mintAmountsWithSlippage,
  type SlippageOptions,
  sqrtPricesAfterSlippage,
  type Amounts,
  getAmountsForLiquidity,
  getLiquidityForAmount0,
  getLiquidityForAmount1,
  getLiquidityForAmounts,
} from './liquidity/liquidity.ts'
export { LpMathError, type LpMathErrorCode } from './lp-math-error.ts'
export { erfc, normalCdf, inverseNormalCdf, studentDeviate } from './normal/normal.ts'
export { applyPoolEvent } from './pool-replay/apply-pool-event.ts'
export { applyV4PoolEvent } from './pool-replay/apply-v4-pool-event.ts'
export { eventDifferences, type FieldDifference, v4EventDifferences } from './pool-replay/event-differences.ts'
export {
  type FeeListener,
  type FeePayment,
  type EventAmounts,
  type NamedEvent,
  type PoolEvent,
  type PositionChange,
  positionKey,
  type PositionRange,
  type SwapFields,
} from './pool-replay/pool-event.ts'
export { type SwapOrder, swapInPool } from './pool-replay/plan-swap.ts'
export {
  createPoolState,
  type Observation,
  type PoolState,
  type PositionState,
  type TickRecord,
  type TickState,
} from './pool-replay/pool-state.ts'
export { type FeeTracker, trackFees, type TrackedPosition } from './pool-replay/track-fees.ts'
export {
  type V4PoolEvent,
  type V4PositionChange,
  type V4SwapFields,
  createV4PoolState,
  type V4PoolState,
  type V4PoolTerms,
  v4PositionKey,
  type V4PositionRange,
  type V4PositionState,
  type PositionInfo,
  unpackPositionInfo,
} from './pool-replay/v4-pool-state.ts'
export {
  invertRange,
  type PriceRange,
  priceFromSqrtPrice,
  priceFromTick,
  sqrtPriceFromAmounts,
  sqrtPriceFromPrice,
  tickFromPrice,
} from './prices/prices.ts'
export {
  createBrownianBridge,
  type BrownianBridge,
  type BrownianBridgeOptions,
} from './random/create-brownian-bridge.ts'
export { createRandom, type Random } from './random/create-random.ts'
export { createSobol, MAX_SOBOL_DIMENSIONS, type Sobol, type SobolOptions } from './random/create-sobol.ts'
export {
  feesAhead,
  type FeesAheadOptions,
  type YieldDraws,
  yieldIntervals,
  type YieldIntervals,
  type YieldOutlook,
  yieldsAhead,
} from './forecast/yields-ahead.ts'
export {
  type Interval,
  intervalOf,
  intervalOfDraws,
  timesForecast,
  leadAhead,
  type LogForecast,
} from './forecast/level-ahead.ts'
export { volatilityAhead, type VolatilityAheadOptions } from './forecast/volatility-ahead.ts'
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
  type RangeMarket,
  feeErrorPct,
  netAprError,
  netAprErrors,
  type NetAprErrors,
  type NetAtSigma,
  type NetYields,
  type RangeDoubts,
} from './range-choice/create-range-analyser.ts'
export { createSimulation, type Simulation, type SimulationOptions } from './simulation/create-simulation.ts'
export { type Estimate, farthestOff, standardErrorsOff } from './simulation/estimate.ts'
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
export {
  computeSwapStep,
  type SwapStep,
  type SwapStepOptions,
  type TickLiquidity,
  type SwapOptions,
  type SwapResult,
} from './swaps/walk-swap.ts'
export {
  solveSwapToRatio,
  type SwapToRatio,
  type SwapToRatioOptions,
  swapThroughTicks,
} from './swaps/solve-swap-to-ratio.ts'
export {
  fullRangeTicks,
  invertTicks,
  type TickRange,
  nearestUsableTick,
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  tickSpacingForFee,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
} from './ticks/ticks.ts'
export {
  amountsForV2Burn,
  getAmountIn,
  getAmountOut,
  liquidityForV2Mint,
  quoteLiquidity,
  v2ProtocolFeeLiquidity,
} from './v2/shares.ts'
export {
  classifyVolatility,
  type EwmaErrorOptions,
  ewmaStandardError,
  type VolatilityClass,
  ewmaSigma,
  impliedSigma,
  type ImpliedSigmaOptions,
  realisedSigma,
  blendVolatility,
  type BlendedVolatility,
  driftVariance,
  type EpisodeVolatility,
  type MarketVolatility,
  mostLogDistance,
  mostMemoryWeight,
} from './volatility/volatility.ts'
