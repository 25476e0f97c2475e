export { createLiquidity } from './create-liquidity.ts'
export type { ReadPorts } from './liquidity-ports.ts'
export { liquidityForAmounts, type RangeBounds } from './planning/deposit/fit-amounts.ts'
export { callerPriceOf, type PairDecimals, priceDrift } from './planning/deposit/require-kept.ts'
export { mergeIntents, type MergedIntent } from './planning/merge-intents.ts'
export { nothingToCollect, refuseClosed } from './planning/refusals.ts'
export {
  leastOfMint,
  leastOfPair,
  lessSlippage,
  type LimitedDeposit,
  mostOfMint,
  withSlippage,
} from './planning/slippage-limits.ts'
export { isUnsigned, positionPermitAbi, unsigned, withSignature } from './plan-migrate.ts'
export { activeLiquidity, type PoolAmounts, readPoolAmounts, findHolder } from './pools/read-pool-amounts.ts'
export { lpFeeShare } from './pools/pool-state.ts'
export { mostTicks } from './ticks/read-ticks.ts'
export { v2PairAddress, v3PoolAddress } from './pools/pool-address.ts'
export { supplyWithFee } from './v2/read-pair-shares.ts'
export { dynamicFeeFlag, poolIdOf, type PoolKey, poolKeyOf } from './v4/pool-key.ts'
