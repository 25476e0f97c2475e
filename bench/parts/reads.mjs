// What read tools are asked where their waits are counted: by the benchmark behind latency, by the gate without a clock.

/** Every read tool with an input that has much to read: positions on three versions, an order, rewards, a vault. */
export async function readsOf({ devnet, call }) {
  const chain = String(devnet.chainId)
  const pair = { chain, token0: 'WETH', token1: 'USDC' }
  const open = (version, more) => call('add_liquidity', { ...pair, version, amount0: '0.3', ...more })
  const ranged = { fee: 500, rangeStrategy: 'medium' }
  await open('v2', {})
  await open('v4', ranged)
  const { positionId, pool, transactions } = await open('v3', ranged)
  await devnet.trade(4, 3, [pool.poolAddress])
  const sale = { chain, tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 7_200 }
  const order = await call('submit_twamm_order', sale)
  const { agentId } = await call('register_agent', {
    chain,
    role: 'vault_participant',
    name: 'Reader',
    ipfsMode: 'inline',
  })
  const position = { chain, version: 'v3', positionId }
  const v3 = { chain, pool: pool.poolAddress }
  const startTime = new Date(Date.now() - 14 * 86_400_000).toISOString()
  const vault = { chain, vault: devnet.vaults[0].address }
  return [
    ['get_token_price', { chain, token: 'WETH' }],
    ['get_token_info', { chain, token: devnet.tokens.find(({ symbol }) => symbol === 'WBTC').address }],
    ['search_tokens', { chain, query: 'USD' }],
    ['get_quote', { chain, tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' }],
    ['get_pools_by_token_pair', pair],
    ['search_pools', { chain }],
    ['get_pool_info', v3],
    ['get_pool_state', v3],
    ['get_tick_data', v3],
    ['get_price_history', v3],
    ['get_volume_history', v3],
    ['get_gas_price', { chain }],
    ['get_transaction_status', { chain, txHash: transactions.at(-1) }],
    ['get_position', position],
    ['get_positions_by_owner', { chain }],
    ['get_position_performance', position],
    ['get_agent_balance', { chain }],
    ['get_claimable_rewards', { chain }],
    ['get_twamm_order_status', { chain, orderId: order.orderId, pool: order.pool }],
    ['get_vault_info', vault],
    ['vault_simulate_deposit', { ...vault, amount: '250' }],
    ['optimize_lp_range', { ...pair, fee: 500, amount: '1000' }],
    ['recommend_fee_tier', pair],
    ['backtest_lp_strategy', { ...pair, fee: 500, amount: '1000', startTime }],
    ['query_agent_identity', { chain, agentId }],
    ['list_supported_chains', {}],
    ['check_setup_health', {}],
    ['check_safety_status', {}],
  ]
}
