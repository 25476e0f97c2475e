// The calls that server and edge are both asked: good ones and bad ones of every tool of the profile, in both eras of the protocol.
import { dataTools } from '../../packages/tool-server/dist/tools/data-tools.js'
import { openStage } from '../liquidity/tool-steps.mjs'

/** Two hundred and more, each with what is sent and what of it a reader recognises. */
export async function makeCalls(world) {
  const good = goodCalls({ ...(await openStage(world)), ready: world.ready })
  const missing = dataTools.map(({ name }) => name).filter((name) => !good.some((one) => one.tool === name))
  if (missing.length > 0) throw new Error(`no call of ${missing.join(', ')}`)
  const first = dataTools.map(({ name }) => good.find((one) => one.tool === name))
  return [
    ...['stateless', 'session'].flatMap((era) => good.map((one) => Object.assign({ era }, one))),
    ...first.flatMap(badCalls),
    ...['stateless', 'session'].flatMap((era) => elsewhere.map((one) => Object.assign({ era }, one))),
  ]
}

const pair = { token0: 'WETH', token1: 'USDC' }
const local = { chain: 'local' }
const daysAgo = (days) => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 13)}:00:00.000Z`

function goodCalls({ txHash, poolId, twammPool, provider, vault, address, ready }) {
  const pool = { ...pair, fee: 500, ...local }
  const call = (tool, input, rest = {}) => ({ tool, input, ...rest })
  const versions = ['v2', 'v3', 'v4']
  return [
    call('check_safety_status', {}),
    call('check_setup_health', { verbose: true }),
    call('list_supported_chains', {}),
    ...['USDC', '*', 'wrapped'].map((query) => call('search_tokens', { query, ...local })),
    ...['USDC', 'WETH', address].map((token) => call('get_token_info', { token, ...local })),
    ...['WETH', 'WBTC', 'DAI'].map((token) => call('get_token_price', { token, ...local })),
    call('get_token_price', { token: 'WBTC', quote: 'WETH', ...local }),
    call('get_gas_price', local),
    call('get_gas_price', { chain: ready.crossChain.chain }),
    ...['1', '0.5', '25'].map((amount) => call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount, ...local })),
    ...versions.map((version) =>
      call('get_quote', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '900', version, ...local }),
    ),
    call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '100', type: 'exact_out', ...local }),
    call('get_pools_by_token_pair', { ...pair, ...local }),
    ...versions.map((version) => call('get_pools_by_token_pair', { ...pair, version, ...local })),
    call('search_pools', local),
    ...['volume', 'fee_apr'].map((sort) => call('search_pools', { sort, limit: 3, ...local })),
    call('get_pool_info', pool),
    call('get_pool_info', { ...pool, fee: 3_000 }),
    ...ready.pools.slice(0, 4).map(({ id, version }) => call('get_pool_state', { pool: id, version, ...local })),
    call('get_tick_data', { pool: poolId, ...local }),
    call('get_price_history', { ...pool, startTime: daysAgo(9), endTime: daysAgo(2) }),
    call('get_volume_history', { ...pool, startTime: daysAgo(9), endTime: daysAgo(2) }),
    call('recommend_fee_tier', { ...pair, ...local }),
    call('optimize_lp_range', { ...pool, amount: '10000', simulations: 500 }),
    call('optimize_lp_range', { ...pool, amount: '10000', simulations: 50_000, seed: 7 }),
    call('backtest_lp_strategy', { ...pool, amount: '10000', startTime: daysAgo(20), endTime: daysAgo(2) }),
    call('get_transaction_status', { txHash, ...local }),
    call('get_agent_balance', { address: provider, ...local }),
    call('get_claimable_rewards', { wallet: address, ...local }),
    call('get_vault_info', { vault, ...local }),
    call('vault_simulate_deposit', { vault, owner: provider, amount: '250', ...local }),
    call('query_agent_identity', { address, ...local }),
    call('get_positions_by_owner', { owner: provider, versions: ['v3'], limit: 2, ...local }),
    call('get_positions_by_owner', { owner: provider, includeClosed: true, limit: 3, ...local }),
    call('get_position', { positionId: '1', version: 'v3', ...local }),
    call('get_position', { positionId: '1', version: 'v4', ...local }),
    call('get_position_performance', { positionId: '1', version: 'v3', ...local }),
    call('get_twamm_order_status', { orderId: `0x${'1'.repeat(64)}`, pool: twammPool, ...local }),
  ]
}

/** Of each tool: a member that it does not have, a chain that nobody has, and nothing at all. */
function badCalls({ tool, input }) {
  return [
    { tool, input: { ...input, more: 1 }, era: 'stateless' },
    { tool, input: { ...input, chain: 'nowhere' }, era: 'session' },
    { tool, input: undefined, era: 'stateless' },
  ]
}

/** What is no call of a tool of the profile, or comes from nobody. */
const elsewhere = [
  { method: 'tools/list' },
  { method: 'ping' },
  { method: 'server/discover' },
  { method: 'prompts/list' },
  { method: 'resources/list' },
  { method: 'nonsense' },
  { tool: 'execute_swap', input: {} },
  { tool: 'drain_wallet', input: {} },
  { tool: 'check_safety_status', input: {}, key: 'read' },
  { tool: 'search_tokens', input: { query: 'USDC' }, key: 'none' },
  { tool: 'search_tokens', input: { query: 'USDC' }, key: 'wrong' },
]
