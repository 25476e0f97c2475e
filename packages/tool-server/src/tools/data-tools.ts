import type { Tool } from '../tool.ts'
import { backtestLpStrategy } from './analytics/backtest-lp-strategy.ts'
import { optimizeLpRange } from './analytics/optimize-lp-range.ts'
import { recommendFeeTier } from './analytics/recommend-fee-tier.ts'
import { getGasPrice, getTransactionStatus } from './market/transactions.ts'
import { getPoolInfo, getPoolsByTokenPair, searchPools } from './market/pools.ts'
import { getPoolState, getTickData } from './market/pool-state.ts'
import { getPriceHistory, getVolumeHistory } from './market/history.ts'
import { getQuote } from './market/get-quote.ts'
import { getTokenInfo, searchTokens } from './market/tokens.ts'
import { getTokenPrice } from './market/get-token-price.ts'
import { queryAgentIdentity } from './market/query-agent-identity.ts'
import { getAgentBalance } from './portfolio/get-agent-balance.ts'
import { getClaimableRewards, getPosition, getPositionsByOwner } from './portfolio/positions.ts'
import { getPositionPerformance } from './portfolio/get-position-performance.ts'
import { getTwammOrderStatus } from './orders/get-twamm-order-status.ts'
import { checkSafetyStatus, checkSetupHealth } from './setup/checks.ts'
import { listSupportedChains } from './setup/list-supported-chains.ts'
import { getVaultInfo, vaultSimulateDeposit } from './vaults/vault-reads.ts'

/**
 * The tools of the profile `data`, which are all that a server of that profile reads the code of. Adding one is one file and its line here;
 * one that the other profiles alone have stands in `index.ts`, and its name below.
 */
export const dataTools: readonly Tool[] = Object.freeze([
  backtestLpStrategy,
  checkSafetyStatus,
  checkSetupHealth,
  getAgentBalance,
  getClaimableRewards,
  getGasPrice,
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
  listSupportedChains,
  optimizeLpRange,
  queryAgentIdentity,
  recommendFeeTier,
  searchPools,
  searchTokens,
  vaultSimulateDeposit,
])

/** What a server of the profile `data` knows of the others: that there are such tools. */
export const namesBeyondData: readonly string[] = Object.freeze([
  'add_liquidity',
  'approve_token',
  'batch_lp_operations',
  'cancel_operation',
  'cancel_twamm_order',
  'cancel_uniswapx_order',
  'cancel_watch',
  'claim_lp_rewards',
  'claim_twamm_order',
  'collect_fees',
  'compound_fees',
  'execute_plan',
  'execute_swap',
  'get_operation',
  'harvest_rewards',
  'increase_liquidity',
  'list_operations',
  'list_watches',
  'manage_insight',
  'migrate_position',
  'provision_wallet',
  'rebalance_position',
  'register_agent',
  'remove_liquidity',
  'submit_cross_chain_intent',
  'submit_operator_feedback',
  'submit_twamm_order',
  'submit_uniswapx_order',
  'update_memory_confidence',
  'vault_deposit',
  'vault_rebalance',
  'vault_withdraw',
  'watch_position',
])
