/**
 * The table of codes. `httpStatus` is used where an error travels as an HTTP answer of its own, `retryable` says whether
 * the same call may succeed later without anybody's doing, unless the thrower knows better, `suggestion` is the fix when
 * the thrower names none.
 */
export const errorTable = {
  // the pipeline of a call
  AUTHENTICATION_REQUIRED: row(401, false, 'Send a valid key as "Authorization: Bearer <key>".'),
  SIGN_IN_REFUSED: row(401, false, 'Ask /mcp for a new challenge, sign it with that wallet and post it at once.'),
  CLOCK_OFF: row(503, true, 'Tell the operator: the clocks of the server and of the chain are minutes apart.'),
  INSUFFICIENT_KEY_TIER: row(403, false, 'Use a key whose tier covers this tool, or a tool that tools/list shows.'),
  PRINCIPAL_REVOKED: row(403, false, 'Ask again with a key in force; what the old key stored is not carried out.'),
  TOOL_NOT_FOUND: row(404, false, 'Call tools/list for the tools of this server.'),
  TOOL_NOT_IN_PROFILE: row(
    404,
    false,
    'Call tools/list for the tools of this profile, or start the server with another.',
  ),
  VALIDATION_FAILED: row(400, false, 'Correct the fields named in details and call again.'),
  RATE_LIMITED: row(429, true, 'Wait for the time that Retry-After names, then call again.'),
  SERVER_BUSY: row(503, true, 'Call again in a moment.'),
  SESSION_LIMIT: row(503, true, 'Close sessions you no longer use, or try again later.'),
  IDEMPOTENCY_CONFLICT: row(409, false, 'Use a new key, or the very same arguments again to get the first answer.'),
  OPERATION_IN_DOUBT: row(
    409,
    false,
    'It is not known what the call did. Look its transactions up with get_transaction_status, then use a new key.',
  ),
  OPERATION_ENDED: row(
    409,
    false,
    'An earlier call with this idempotencyKey did not come to its own end; what it signed is decided by now, as message and details say.',
  ),
  CANCELLED: row(499, true, 'Nothing was signed. Call again and wait for the answer.'),
  INTERNAL: row(500, true, 'Call again; if it happens again, give the correlation id to the operator.'),
  // requests that are no call yet
  HOST_NOT_ALLOWED: row(
    403,
    false,
    'Use the address the server was configured for, or add the name to SVC_ALLOWED_HOSTS.',
  ),
  ORIGIN_NOT_ALLOWED: row(403, false, 'The operator can add the origin to SVC_ALLOWED_ORIGINS.'),
  PROXY_REQUIRED: row(403, false, 'Reach the server over https through its edge proxy.'),
  ROUTE_NOT_FOUND: row(404, false, 'The MCP endpoint is /mcp.'),
  METHOD_NOT_ALLOWED: row(405, false, 'Use a method that the Allow header names.'),
  PAYLOAD_TOO_LARGE: row(413, false, 'Send at most 256 KiB.'),
  MEDIA_TYPE_NOT_SUPPORTED: row(415, false, 'Send uncompressed application/json in UTF-8.'),
  HEADERS_TOO_LARGE: row(431, false, 'Send at most 100 header fields, what proxies add included.'),
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
  // the transaction pipeline
  WALLET_NOT_CONFIGURED: row(503, false, 'Configure a wallet; check_setup_health says what is missing.'),
  SERVER_PAUSED: row(503, true, 'Wait until the operator resumes; check_safety_status says since when.'),
  CIRCUIT_BREAKER_OPEN: row(
    503,
    false,
    'The circuit breaker has tripped; the operator must re-arm it. check_safety_status says why, and whether liquidity can still be removed.',
  ),
  POLICY_INVALID: row(
    503,
    false,
    'The operator must fix policy.json (`svc policy check` names what is wrong); nothing is signed until then.',
  ),
  PRINCIPAL_NOT_GRANTED: row(403, false, 'Use a tool that the policy grants to this caller; the operator can add it.'),
  CONTRACT_NOT_ALLOWED: row(403, false, 'The policy does not allow this contract.'),
  TOKEN_NOT_ALLOWLISTED: row(
    403,
    false,
    'The policy does not list this token; the operator can add it with svc policy add-token.',
  ),
  RECIPIENT_NOT_ALLOWED: row(403, false, 'Funds may only go to the agent wallet and to recipients the policy lists.'),
  SPENDER_NOT_ALLOWED: row(
    403,
    false,
    'Name one of the spenders in details; the operator can list others in the policy.',
  ),
  SIGNATURE_NOT_ALLOWED: row(
    403,
    false,
    'Only transactions, exact Permit2 allowances and a few other kinds of data are signed, each for a call that needs it.',
  ),
  SLIPPAGE_TOO_HIGH: row(403, false, 'Lower slippageBps to at most the cap of the policy.'),
  DEADLINE_TOO_LONG: row(403, false, 'Use a deadline within the cap of the policy.'),
  UNSAFE_TRANSACTION: row(403, false, 'The transaction would do more than it declares and was not signed.'),
  ATOMIC_EXECUTION_UNAVAILABLE: row(
    409,
    false,
    'The wallet cannot do this in one transaction; use the single tools one after another.',
  ),
  SPENDING_LIMIT_EXCEEDED: row(
    403,
    false,
    'Lower the amount or wait until the window frees up; check_safety_status shows what is left.',
  ),
  VALUE_LOSS_EXCEEDED: row(
    403,
    false,
    'What the slippage lets come back is worth less than the policy lets a call lose. Lower slippageBps, trade less, use a deeper pool, or wait for the pool to follow the market.',
  ),
  POOL_PRICE_OFF_MARKET: row(
    403,
    false,
    'Do not deposit while the pool is off the market: choose another pool, wait until it follows, or for a new pool give amounts at the market price.',
  ),
  PRICE_IMPACT_EXCEEDED: row(403, false, 'Trade a smaller amount, in parts over time, or through a deeper pool.'),
  APPROVAL_REQUIRED: row(
    403,
    false,
    'A person must approve a transaction of this size; lower the amount or ask the operator.',
  ),
  APPROVAL_DENIED: row(403, false, 'A person has said no to this operation; do not ask for the same again.'),
  APPROVAL_STATE_INVALID: row(
    400,
    false,
    'Call again without requestState and inputResponses; the person is asked anew.',
  ),
  DELAY_REQUIRED: row(
    403,
    false,
    'The policy delays calls of this risk tier for longer than this one has waited; call the tool again.',
  ),
  SIMULATION_FAILED: row(400, false, 'Nothing was signed; details say why. Look with get_quote or get_position.'),
  SIMULATION_UNAVAILABLE: row(503, false, 'The endpoint cannot simulate, and nothing is signed without a simulation.'),
  POSITION_TOO_NEW: row(409, true, 'Wait for as long as the message says, then call the same again.'),
  SIMULATION_DRIFT: row(409, true, 'The chain moved between plan and signing. Call again for a fresh plan.'),
  TRANSACTION_REVERTED: row(
    502,
    false,
    'The transaction was mined and reverted; only its fee was spent. Call again for a fresh plan.',
  ),
  TRANSACTION_PENDING: row(
    504,
    false,
    'The transaction is out but not confirmed. Follow it with get_transaction_status; do not send it again.',
  ),
  WALLET_BUSY: row(
    409,
    true,
    'Nothing of this call was signed. Follow the earlier transaction with get_transaction_status, then call again.',
  ),
  TRANSACTION_NOT_SENT: row(
    502,
    true,
    'Nothing was signed, or another transaction has taken the place of this one, which is never mined. Call again.',
  ),
  CANCELLED_BY_OPERATOR: row(
    403,
    false,
    'The operator took the transaction back, and it is never mined. Do not ask for the same again unless the operator says so.',
  ),
  OPERATION_INCOMPLETE: row(
    502,
    false,
    'Look the transactions in details up with get_transaction_status before anything else; do not call again for the same purpose.',
  ),
  RESULT_UNREADABLE: row(
    502,
    false,
    'Look the transactions in details up with get_transaction_status; do not call again for the same purpose.',
  ),
  OPERATION_LIMIT: row(
    403,
    true,
    'Wait until some of yours are decided or carried out, cancel one with cancel_operation (list_operations shows them), or ask the operator to decide or to raise approvals.maxWaiting.',
  ),
  OPERATION_NOT_FOUND: row(404, false, 'Call list_operations for the operations of this key.'),
  WATCH_NOT_FOUND: row(404, false, 'list_watches shows the watches of this key.'),
  WATCH_LIMIT: row(409, false, 'Cancel one with cancel_watch; list_watches shows them.'),
  MEMORY_NOT_FOUND: row(404, false, 'manage_insight with action list shows the ids of insights.'),
  OPERATION_EXPIRED: row(410, false, 'Call the tool again for a new plan.'),
  OPERATION_CHANGED: row(409, false, 'Look at the operation with get_operation and use its own plan hash.'),
  OPERATION_STATE: row(409, false, 'get_operation shows what became of it; nothing is done twice.'),
  SIGNER_UNAVAILABLE: row(503, true, 'The wallet provider does not sign now, and nothing was sent. Call again later.'),
  SIGNER_REFUSED: row(
    403,
    false,
    "The managed wallet's own policy at its provider refuses this. The operator can change it there.",
  ),
  SIGNER_UNAUTHORIZED: row(503, false, 'The operator must correct the credentials of the managed wallet.'),
  STORAGE_UNAVAILABLE: row(503, true, 'The state store cannot be written, and nothing is signed without it.'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorTable

type ErrorRow = { readonly httpStatus: number; readonly retryable: boolean; readonly suggestion: string }

function row(httpStatus: number, retryable: boolean, suggestion: string): ErrorRow {
  return { httpStatus, retryable, suggestion }
}
