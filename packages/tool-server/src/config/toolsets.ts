/**
 * What a client works on. The operator names the sets that a server offers (`SVC_MCP_TOOLSETS`); each tool stands in one of them, or in all.
 * Profile, tier and scopes stay what they are: a set only leaves out.
 */
export const toolsets: Readonly<Record<Toolset, readonly string[]>> = {
  market: [
    'get_gas_price',
    'get_pool_info',
    'get_pool_state',
    'get_pools_by_token_pair',
    'get_price_history',
    'get_quote',
    'get_tick_data',
    'get_token_info',
    'get_token_price',
    'get_volume_history',
    'search_pools',
    'search_tokens',
  ],
  positions: [
    'cancel_watch',
    'get_claimable_rewards',
    'get_position',
    'get_position_performance',
    'get_positions_by_owner',
    'list_watches',
    'manage_insight',
    'submit_operator_feedback',
    'update_memory_confidence',
    'watch_position',
  ],
  liquidity: [
    'add_liquidity',
    'backtest_lp_strategy',
    'batch_lp_operations',
    'claim_lp_rewards',
    'collect_fees',
    'compound_fees',
    'harvest_rewards',
    'increase_liquidity',
    'migrate_position',
    'optimize_lp_range',
    'rebalance_position',
    'recommend_fee_tier',
    'remove_liquidity',
  ],
  trade: [
    'cancel_twamm_order',
    'cancel_uniswapx_order',
    'claim_twamm_order',
    'execute_swap',
    'get_twamm_order_status',
    'submit_cross_chain_intent',
    'submit_twamm_order',
    'submit_uniswapx_order',
  ],
  vaults: ['get_vault_info', 'vault_deposit', 'vault_rebalance', 'vault_simulate_deposit', 'vault_withdraw'],
  wallet: [
    'approve_token',
    'get_agent_balance',
    'get_transaction_status',
    'provision_wallet',
    'query_agent_identity',
    'register_agent',
  ],
}

/**
 * Chains, set-up and safety say why another tool refuses. What any set has planned or stored is carried out, looked up and cancelled by the
 * other four.
 */
export const inEveryToolset: readonly string[] = [
  'cancel_operation',
  'check_safety_status',
  'check_setup_health',
  'execute_plan',
  'get_operation',
  'list_operations',
  'list_supported_chains',
]

export type Toolset = 'market' | 'positions' | 'liquidity' | 'trade' | 'vaults' | 'wallet'

/** The sets that a server offers; `null` where all tools are offered, those that stand in no set among them. */
export type OfferedToolsets = readonly Toolset[] | null

export const toolsetNames: readonly Toolset[] = ['market', 'positions', 'liquidity', 'trade', 'vaults', 'wallet']

export function isInToolsets(tool: string, offered: OfferedToolsets): boolean {
  return offered === null || inEveryToolset.includes(tool) || offered.some((name) => toolsets[name].includes(tool))
}
