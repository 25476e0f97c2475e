import type { Tool } from '../tool.ts'
import { backtestLpStrategy } from './analytics/backtest-lp-strategy.ts'
import { optimizeLpRange } from './analytics/optimize-lp-range.ts'
import { recommendFeeTier } from './analytics/recommend-fee-tier.ts'
import { addLiquidity } from './liquidity/add-liquidity.ts'
import { batchLpOperations } from './liquidity/batch-lp-operations.ts'
import { claimLpRewards } from './liquidity/claim-lp-rewards.ts'
import { collectFees } from './liquidity/collect-fees.ts'
import { compoundFees } from './liquidity/compound-fees.ts'
import { harvestRewards } from './liquidity/harvest-rewards.ts'
import { increaseLiquidity } from './liquidity/increase-liquidity.ts'
import { migratePosition } from './liquidity/migrate-position.ts'
import { rebalancePosition } from './liquidity/rebalance-position.ts'
import { removeLiquidity } from './liquidity/remove-liquidity.ts'
import { getGasPrice } from './market/get-gas-price.ts'
import { getPoolInfo } from './market/get-pool-info.ts'
import { getPoolState } from './market/get-pool-state.ts'
import { getPoolsByTokenPair } from './market/get-pools-by-token-pair.ts'
import { getPriceHistory } from './market/get-price-history.ts'
import { getQuote } from './market/get-quote.ts'
import { getTickData } from './market/get-tick-data.ts'
import { getTokenInfo } from './market/get-token-info.ts'
import { getTokenPrice } from './market/get-token-price.ts'
import { getTransactionStatus } from './market/get-transaction-status.ts'
import { getVolumeHistory } from './market/get-volume-history.ts'
import { queryAgentIdentity } from './market/query-agent-identity.ts'
import { searchPools } from './market/search-pools.ts'
import { searchTokens } from './market/search-tokens.ts'
import { getAgentBalance } from './portfolio/get-agent-balance.ts'
import { getClaimableRewards } from './portfolio/get-claimable-rewards.ts'
import { getPosition } from './portfolio/get-position.ts'
import { getPositionPerformance } from './portfolio/get-position-performance.ts'
import { getPositionsByOwner } from './portfolio/get-positions-by-owner.ts'
import { cancelTwammOrder } from './orders/cancel-twamm-order.ts'
import { claimTwammOrder } from './orders/claim-twamm-order.ts'
import { cancelUniswapxOrder } from './orders/cancel-uniswapx-order.ts'
import { getTwammOrderStatus } from './orders/get-twamm-order-status.ts'
import { submitTwammOrder } from './orders/submit-twamm-order.ts'
import { submitUniswapxOrder } from './orders/submit-uniswapx-order.ts'
import { cancelOperation } from './operations/cancel-operation.ts'
import { executePlan } from './operations/execute-plan.ts'
import { getOperation } from './operations/get-operation.ts'
import { listOperations } from './operations/list-operations.ts'
import { checkSafetyStatus } from './setup/check-safety-status.ts'
import { checkSetupHealth } from './setup/check-setup-health.ts'
import { listSupportedChains } from './setup/list-supported-chains.ts'
import { executeSwap } from './trade/execute-swap.ts'
import { getVaultInfo } from './vaults/get-vault-info.ts'
import { vaultDeposit } from './vaults/vault-deposit.ts'
import { vaultRebalance } from './vaults/vault-rebalance.ts'
import { vaultSimulateDeposit } from './vaults/vault-simulate-deposit.ts'
import { vaultWithdraw } from './vaults/vault-withdraw.ts'
import { manageInsight } from './memory/manage-insight.ts'
import { submitOperatorFeedback } from './memory/submit-operator-feedback.ts'
import { updateMemoryConfidence } from './memory/update-memory-confidence.ts'
import { approveToken } from './wallet/approve-token.ts'
import { provisionWallet } from './wallet/provision-wallet.ts'
import { registerAgent } from './wallet/register-agent.ts'

/** Every tool of the server, sorted by name. Adding a tool is one file and its line here. */
export const catalogue: readonly Tool[] = Object.freeze([
  addLiquidity,
  approveToken,
  backtestLpStrategy,
  batchLpOperations,
  cancelOperation,
  cancelTwammOrder,
  cancelUniswapxOrder,
  checkSafetyStatus,
  checkSetupHealth,
  claimLpRewards,
  claimTwammOrder,
  collectFees,
  compoundFees,
  executePlan,
  executeSwap,
  getAgentBalance,
  getClaimableRewards,
  getGasPrice,
  getOperation,
  getPoolInfo,
  getPoolState,
  getPoolsByTokenPair,
  getPosition,
  getPositionPerformance,
  getPositionsByOwner,
  getPriceHistory,
  getQuote,
  getTickData,
  getTokenInfo,
  getTokenPrice,
  getTransactionStatus,
  getTwammOrderStatus,
  getVaultInfo,
  getVolumeHistory,
  harvestRewards,
  increaseLiquidity,
  listOperations,
  listSupportedChains,
  manageInsight,
  migratePosition,
  optimizeLpRange,
  provisionWallet,
  queryAgentIdentity,
  rebalancePosition,
  recommendFeeTier,
  registerAgent,
  removeLiquidity,
  searchPools,
  searchTokens,
  submitOperatorFeedback,
  submitTwammOrder,
  submitUniswapxOrder,
  updateMemoryConfidence,
  vaultDeposit,
  vaultRebalance,
  vaultSimulateDeposit,
  vaultWithdraw,
])
