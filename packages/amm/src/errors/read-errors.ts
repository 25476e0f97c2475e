import { type ErrorRow, row } from './error-row.ts'

/** Codes of what is asked for: tokens, pools, positions, vaults, orders, identities, rewards, amounts, prices, and the endpoints that say so. */
export const readErrors = {
  // harvests
  NO_POSITIONS: row(404, false, 'get_positions_by_owner tells what an address holds; claim_lp_rewards claims rewards.'),
  DUST_FILTER_ALL_SKIPPED: row(
    400,
    false,
    'Every position waits for less than minHarvestUsd. Call again with a smaller minHarvestUsd, or leave it for now; claim_lp_rewards claims rewards alone.',
  ),
  HARVEST_PARTIAL_FAILURE: row(
    502,
    false,
    'What details.result names has happened. The same call with the same idempotencyKey goes on with the rest and does nothing twice; so does execute_plan with the id of a stopped plan.',
  ),
  CONSOLIDATION_SWAP_FAILED: row(
    502,
    false,
    'The fees are collected and in the wallet. The same call with the same idempotencyKey swaps the rest; execute_swap swaps one token by itself.',
  ),
  // naming things
  CHAIN_NOT_SUPPORTED: row(400, false, 'Call list_supported_chains for the chains of this server.'),
  VERSION_NOT_DEPLOYED: row(
    400,
    false,
    'Choose another version or chain; list_supported_chains shows what is deployed.',
  ),
  TOKEN_NOT_FOUND: row(404, false, 'Use a listed symbol (search_tokens), or the address of any other token.'),
  TOKEN_AMBIGUOUS: row(400, false, 'Several tokens bear this symbol. Use one of the addresses in details.'),
  POOL_NOT_FOUND: row(404, false, 'Call get_pools_by_token_pair for the pools of this pair.'),
  NO_TWAMM_HOOK: row(
    400,
    false,
    'Sell at once with execute_swap, or have the operator name the pool and its hook in twammHooks of the policy.',
  ),
  VAULT_NOT_FOUND: row(404, false, "Use the vault's own address (ERC-4626) there; get_token_info tells of a token."),
  VAULT_NOT_SUPPORTED: row(400, false, 'Choose another vault; get_vault_info says of one what it is.'),
  VAULT_NOT_ALLOWED: row(403, false, 'Have the operator name the vault in vaults of the policy.'),
  VAULT_DEPOSIT_REFUSED: row(
    409,
    false,
    'Deposit no more than maxDeposit of get_vault_info, which the vault takes now.',
  ),
  VAULT_WITHDRAWAL_REFUSED: row(409, true, 'Take no more than maxWithdraw of get_vault_info, or call again later.'),
  VAULT_ROLE_MISSING: row(403, false, 'Only its manager rebalances a vault; get_vault_info names who that is.'),
  VAULT_BALANCED: row(409, false, 'Nothing is to be done; get_vault_info shows what the strategies hold.'),
  VAULT_SHARES_LOCKED: row(409, false, 'Choose a vault that pays out at once: nothing measures these shares.'),
  ORDER_NOT_FOUND: row(404, false, 'Use the ids that submit_twamm_order or submit_uniswapx_order gave.'),
  ORDER_NOT_ACTIVE: row(409, false, 'get_twamm_order_status or get_operation says what has become of the order.'),
  ORDER_OPEN: row(409, true, 'Wait until the order in details has ended, or call cancel_uniswapx_order.'),
  CROSS_CHAIN_NOT_SUPPORTED: row(400, false, 'Choose chains in details, or trade on one chain with execute_swap.'),
  ORDERS_NOT_SUPPORTED: row(400, false, 'Sell at once with execute_swap, or choose a chain in details.'),
  ORDER_OFFER_TOO_LOW: row(409, true, 'Sell at once with execute_swap, which brings more, or call again in a moment.'),
  POSITION_NOT_FOUND: row(404, false, 'Call get_positions_by_owner for the positions of an owner.'),
  POSITION_NOT_OWNED: row(403, false, 'Only own positions can be changed; get_positions_by_owner lists them.'),
  TRANSACTION_NOT_FOUND: row(404, true, 'Check hash and chain; a fresh transaction may take a moment to appear.'),
  // identities
  VALIDATION_CHAIN_NOT_SUPPORTED: row(400, false, 'Use a chain whose identity registry this server calls.'),
  VALIDATION_PINNING_JWT_MISSING: row(
    400,
    false,
    'Use another ipfsMode; for "pinata" the operator must set SVC_PINNING_JWT.',
  ),
  AGENT_NOT_FOUND: row(404, false, 'Call query_agent_identity without agentId, or with address, for what is there.'),
  AGENT_ID_UNKNOWN: row(409, false, 'Look the agent up at an explorer; force registers another one.'),
  REGISTRY_NOT_DEPLOYED: row(502, false, 'The operator must correct the identity registry of the chain.'),
  // rewards
  DISTRIBUTOR_NOT_DEPLOYED: row(
    400,
    false,
    'Call get_claimable_rewards with a chain that has a distributor; the operator can name one in the file of SVC_CHAINS_FILE.',
  ),
  REWARDS_UNAVAILABLE: row(503, true, 'Call get_claimable_rewards again in a minute. What was earned stays claimable.'),
  REWARDS_UNREADABLE: row(
    502,
    false,
    'The operator must check SVC_REWARDS_URL; get_agent_balance shows what the wallet holds already.',
  ),
  NO_REWARDS_AVAILABLE: row(
    404,
    false,
    'Call get_claimable_rewards for what is pending and in which tokens; what is pending can be claimed later.',
  ),
  // the trading API
  API_KEY_NOT_CONFIGURED: row(
    503,
    false,
    'The operator must set SVC_TRADING_API_KEY, in a local world start it with svc up --trading-api; check_setup_health says what else is missing.',
  ),
  TRADING_API_UNAVAILABLE: row(503, true, 'Nothing was signed. Call again in a minute.'),
  TRADING_API_REFUSED: row(502, false, 'Nothing was signed. The operator must correct SVC_TRADING_API_KEY.'),
  MIGRATION_NOT_SUPPORTED: row(
    404,
    false,
    'Close the position with remove_liquidity and open another with add_liquidity; get_pools_by_token_pair shows the v4 pools of the pair.',
  ),
  // amounts and markets
  AMOUNT_TOO_SMALL: row(400, false, 'Call again with a larger amount.'),
  DURATION_TOO_SHORT: row(400, false, 'Call again with a longer duration; details say the shortest.'),
  INSUFFICIENT_BALANCE: row(400, false, 'Lower the amount or fund the wallet; get_agent_balance shows what it holds.'),
  INSUFFICIENT_LIQUIDITY: row(400, false, 'Trade a smaller amount or choose another pool.'),
  // Where the cause passes by itself (a silent feed, a price that is too old), the thrower says so.
  PRICE_UNAVAILABLE: row(
    503,
    false,
    'Use a token that trades here in a deep pool, against a dollar token or the native currency; get_token_price tells what has a price.',
  ),
  NO_POOL: row(404, false, 'Call get_pools_by_token_pair for the pools of this pair, and name one of their fees.'),
  NO_POOLS: row(404, false, 'Check both tokens and the chain; search_pools shows where a token trades.'),
  INSUFFICIENT_HISTORY: row(
    422,
    false,
    'Call get_pools_by_token_pair and choose a pool with a longer past, or have SVC_MCP_SUBGRAPH_API_KEY or an endpoint that keeps old state set: a subgraph and an archive reach further back than swap logs. Details say how many days are known and needed.',
  ),
  INVALID_STRATEGY: row(400, false, 'Correct the members named in details and call again.'),
  SIMULATION_TIMEOUT: row(
    504,
    true,
    'Use the answer in details where there is one, or call again and ask for less: fewer simulations, a shorter time.',
  ),
  HOOK_NOT_SUPPORTED: row(
    400,
    false,
    'Choose a pool without hooks, or one whose hooks cannot change the amounts of a call.',
  ),
  NOTHING_TO_COLLECT: row(400, false, 'Nothing is to be done until it earns: get_position shows what waits.'),
  // chain data
  RPC_UNAVAILABLE: row(
    503,
    true,
    'The endpoint of this chain does not answer, or not what it was asked. Try again, or check its URL.',
  ),
  RPC_TIMEOUT: row(504, true, 'The endpoint of this chain is too slow. Try again, or configure another.'),
  RPC_CHAIN_MISMATCH: row(502, false, 'The endpoint serves another chain than configured. Correct its URL.'),
  RPC_STALE: row(503, true, 'The endpoint lags behind its chain. Try again, or configure another.'),
  RPC_REFUSED: row(502, true, 'The endpoint refused the request. Narrow it, or configure another endpoint.'),
} as const satisfies Record<string, ErrorRow>
