// What is called in which order, so that each tool has something to do; and what no tool can do in a local world, with the code that says so.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http, toHex } from 'viem'
import { devAccounts } from '../../packages/devnet/dist/accounts.js'

const pair = { token0: 'WETH', token1: 'USDC' }
const pool = { ...pair, fee: 500 }
const local = { chain: 'local' }
/** No two open orders sell one token. */
const [dollars, ether] = [
  { tokenIn: 'USDC', tokenOut: 'WETH', amount: '250' },
  { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1' },
]
const daysAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Both ways through the pool of the positions, so that they earn. */
const earn = [
  step('execute_swap', () => ({ version: 'v3', tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', ...local })),
  step('execute_swap', () => ({ version: 'v3', tokenIn: 'USDC', tokenOut: 'WETH', amount: '2500', ...local })),
]
const positionOf = ({ positionId }) => ({ version: 'v3', positionId, ...local })
const orderOf = ({ orderId, pool: id }) => ({ orderId, pool: id, ...local })

/** Those in a list are taken by one client after the other, all others in turns. */
export const steps = [
  step('check_setup_health', () => ({})),
  step('check_safety_status', () => ({})),
  step('list_supported_chains', () => ({ includeTestnets: true })),
  step('search_tokens', () => ({ query: 'USDC', ...local })),
  step('get_token_info', () => ({ token: 'USDC', ...local })),
  step('get_token_price', () => ({ token: 'WETH', ...local })),
  step('get_gas_price', () => local),
  step('get_quote', () => ({ tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', ...local })),
  step('get_pools_by_token_pair', () => ({ ...pair, ...local })),
  step('search_pools', () => local),
  step('get_pool_info', () => ({ ...pool, ...local })),
  step('get_pool_state', ({ poolId }) => ({ pool: poolId, ...local })),
  step('get_tick_data', ({ poolId }) => ({ pool: poolId, ...local })),
  step('get_price_history', () => ({ ...pool, ...local })),
  step('get_volume_history', () => ({ ...pool, ...local })),
  step('recommend_fee_tier', () => ({ ...pair, ...local })),
  step('optimize_lp_range', () => ({ ...pool, amount: '10000', simulations: 500, ...local })),
  step('backtest_lp_strategy', () => ({ ...pool, amount: '10000', startTime: daysAgo(20), ...local })),
  step('get_transaction_status', ({ txHash }) => ({ txHash, ...local })),
  step('get_agent_balance', ({ address }) => ({ address, ...local })),
  step('get_claimable_rewards', ({ address }) => ({ wallet: address, ...local })),
  step('get_vault_info', ({ vault }) => ({ vault, ...local })),
  step('vault_simulate_deposit', ({ vault, provider }) => ({ vault, owner: provider, amount: '250', ...local })),
  step('provision_wallet', () => local),
  step('register_agent', () => ({ role: 'vault_manager', ...local })),
  step('query_agent_identity', ({ address }) => ({ address, ...local })),
  step('approve_token', ({ spender }) => ({ token: 'USDC', spender, amount: '5', ...local })),
  step('approve_token', ({ spender }) => ({ token: 'USDC', spender, amount: '0', ...local })),

  step('add_liquidity', () => ({ ...pool, amount0: '1', rangeStrategy: 'narrow', ...local }), {
    keep: ({ positionId }) => ({ positionId }),
  }),
  // A position of the newest blocks is not added to.
  step('increase_liquidity', ({ positionId }) => ({ ...positionOf({ positionId }), token0: 'WETH', amount0: '0.2' }), {
    before: ({ mine }) => mine(2),
  }),
  step('watch_position', positionOf, { keep: ({ watchId }) => ({ watchId }) }),
  step('list_watches', ({ watchId }) => ({ watchId })),
  step('cancel_watch', ({ watchId }) => ({ watchId })),
  ...earn,
  step('collect_fees', positionOf),
  ...earn,
  step('compound_fees', positionOf),
  ...earn,
  step('harvest_rewards', ({ positionId }) => ({
    positionIds: [positionId],
    includeRewards: false,
    minHarvestUsd: 0,
    ...local,
  })),
  step('rebalance_position', (made) => ({ ...positionOf(made), rangeStrategy: 'medium', swapToRatio: false }), {
    keep: ({ newPosition }) => ({ positionId: newPosition.positionId }),
  }),
  step('batch_lp_operations', ({ positionId }) => ({
    operations: [{ type: 'remove', positionId, params: { version: 'v3', percentage: 20 } }],
    ...local,
  })),
  step('remove_liquidity', (made) => ({ ...positionOf(made), percentage: 50 })),
  step('migrate_position', ({ positionId }) => ({ positionId, ...local })),
  // In `data` nobody has opened one; there, any of the world's will do.
  step('get_positions_by_owner', ({ provider }) => ({ owner: provider, versions: ['v3'], limit: 1, ...local }), {
    keep: ({ items: [{ positionId }] }) => ({ positionId }),
  }),
  step('get_position', positionOf),
  step('get_position_performance', positionOf),
  step('claim_lp_rewards', ({ index }) => ({ tokens: [['USDC', 'WETH'][index]], ...local })),

  step('execute_swap', () => ({ tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', dryRun: true, ...local }), {
    keep: ({ plan: { planId } }) => ({ planId }),
  }),
  step('execute_plan', ({ planId }) => ({ planId })),
  step('execute_swap', () => ({ tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', dryRun: true, ...local }), {
    keep: ({ plan: { planId } }) => ({ operationId: planId }),
  }),
  step('list_operations', () => ({ state: 'planned' })),
  step('get_operation', ({ operationId }) => ({ operationId })),
  step('cancel_operation', ({ operationId }) => ({ operationId })),

  // The filler answers at once, unless it cannot pay its gas.
  step('submit_uniswapx_order', ({ index }) => ({ ...[dollars, ether][index], ...local }), {
    before: ({ emptyFiller }) => emptyFiller(),
    keep: ({ orderId }) => ({ orderId }),
  }),
  step('cancel_uniswapx_order', ({ orderId }) => ({ orderId, ...local })),
  // Of a token one order at a time is open.
  step('submit_cross_chain_intent', ({ index, otherChain: destinationChain }) => {
    const token = ['USDT', 'DAI'][index]
    return { tokenIn: token, tokenOut: token, amount: '100', destinationChain, ...local }
  }),

  [
    step('vault_deposit', ({ vault, index }) => ({ vault, amount: ['5000', '9000'][index], ...local })),
    step('vault_rebalance', ({ vault }) => ({ vault, ...local }), { before: ({ manage }) => manage() }),
    step('vault_withdraw', ({ vault }) => ({ vault, ...local })),
  ],

  step('submit_operator_feedback', () => ({ ...pair, rating: 'good', text: 'paid its gas', ...local })),
  step('manage_insight', () => ({ action: 'add', ...pair, text: 'wide ranges paid', ...local }), {
    keep: ({ insights: [{ insightId }] }) => ({ insightId }),
  }),
  step('update_memory_confidence', ({ insightId }) => ({ memoryId: insightId, confidence: 0.5 })),

  step('submit_twamm_order', () => ({ tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 7_200, ...local }), {
    keep: ({ orderId, pool: id }) => ({ orderId, pool: id }),
  }),
  // Of `data` no tool makes one.
  step(
    'get_twamm_order_status',
    ({ orderId = `0x${'1'.repeat(64)}`, pool: id, twammPool }) => ({
      orderId,
      pool: id ?? twammPool,
      ...local,
    }),
    {
      refused: ({ profile }) => (profile === 'data' ? 'ORDER_NOT_FOUND' : null),
    },
  ),
  step('claim_twamm_order', orderOf, { before: ({ passTime }) => passTime(1_200) }),
  step('cancel_twamm_order', orderOf, { before: ({ passTime }) => passTime(600) }),
]

/** What the steps need of a world beside its tools. */
export async function openStage({ ready: { rpc, pools, twamm, vaults, wallet, crossChain }, dataDir }) {
  const [row] = JSON.parse(readFileSync(join(dataDir, 'chains.json'), 'utf8'))
  const chain = createPublicClient({ transport: http(rpc.url), cacheTime: 0 })
  const { roles } = devAccounts()
  const { transactions } = await newestWithTransactions(chain)
  const vault = vaults[0].address
  const request = (method, ...params) => chain.request({ method, params })
  return {
    txHash: transactions[0],
    poolId: pools.find(({ label }) => label === 'WETH/USDC 0.05 %').id,
    twammPool: twamm.pool.id,
    otherChain: crossChain.chain,
    provider: roles.providers[0],
    vault,
    address: wallet.address,
    spender: row.amm.v3.swapRouter02,
    async mine(blocks) {
      for (let count = 0; count < blocks; count += 1) await request('evm_mine')
    },
    async passTime(seconds) {
      await request('evm_increaseTime', seconds)
      await request('evm_mine')
    },
    /** Leaves nothing for gas to the one who fills orders. */
    emptyFiller: () => request('anvil_setBalance', roles.traders[0], toHex(0n)),
    /** Makes the wallet the manager of the vault, who stands in its code. */
    async manage() {
      const code = await chain.getCode({ address: vault })
      const other = (address) => address.slice(2).toLowerCase()
      await request('anvil_setCode', vault, code.replaceAll(other(roles.deployer), other(wallet.address)))
    },
  }
}

async function newestWithTransactions(chain) {
  for (let blockNumber = await chain.getBlockNumber(); ; blockNumber -= 1n) {
    const block = await chain.getBlock({ blockNumber })
    if (block.transactions.length > 0) return block
  }
}

function step(tool, input, rest = {}) {
  return { tool, input, ...rest }
}
