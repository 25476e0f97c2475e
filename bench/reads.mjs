// How often each read tool waits for its endpoint, behind 50 ms of latency: requests of which each begins when the one before it was
// answered, in a process that has just started (cold) and in one that has answered the tool before (warm).
import { startDevnet } from '@svc/devnet'
import { startRewardsApi } from '@svc/devnet/rewards-api'
import { startCountingProxy } from './parts/counting-proxy.mjs'
import { figure, median } from './parts/figure.mjs'
import { inSequence } from './parts/round-trips.mjs'
import { sized } from './parts/size.mjs'
import { callTool, startServer } from './write.mjs'

const latencyMs = 50
const warmRounds = sized(3)
const bars = { cold: 3, warm: 2 }
/** What reads the past of a pool for two weeks may wait once more. */
const longBars = { cold: 4, warm: 4 }
const long = new Set(['optimize_lp_range', 'backtest_lp_strategy'])

export async function run(report) {
  const closers = []
  try {
    const devnet = await startDevnet({ onProgress: report })
    closers.push(() => devnet.stop())
    const proxy = await startCountingProxy(devnet.rpcUrl, { latencyMs })
    closers.push(() => proxy.stop())
    const rewards = await startRewardsApi({ devnet })
    closers.push(() => rewards.stop())
    const owner = await startServer(devnet, devnet.rpcUrl, closers)
    const reads = await readsOf(devnet, owner)
    owner.stop()
    const figures = []
    for (const [tool, input] of sized(reads, reads.slice(0, 2))) {
      const seen = await measure({ devnet, proxy, closers, rewards, key: owner.privateKey }, tool, input)
      report(explain(tool, seen))
      figures.push(...figuresOf(tool, seen))
    }
    return figures
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** Every read tool with an input that has much to read: positions on three versions, an order, rewards, a vault. */
async function readsOf(devnet, owner) {
  const chain = String(devnet.chainId)
  const pair = { chain, token0: 'WETH', token1: 'USDC' }
  const open = (version, more) => callTool(owner, 'add_liquidity', { ...pair, version, amount0: '0.3', ...more })
  const ranged = { fee: 500, rangeStrategy: 'medium' }
  await open('v2', {})
  await open('v4', ranged)
  const { positionId, pool, transactions } = await open('v3', ranged)
  await devnet.trade(4, 3, [pool.poolAddress])
  const sale = { chain, tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 7_200 }
  const order = await callTool(owner, 'submit_twamm_order', sale)
  const { agentId } = await callTool(owner, 'register_agent', {
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

/** One call in a new process, then some more in it, each after a block of others. */
async function measure({ devnet, proxy, closers, rewards, key }, tool, input) {
  const settings = { SVC_REWARDS_URL: rewards.url }
  const server = await startServer(devnet, proxy.url, closers, { key, settings })
  const calls = []
  for (let round = 0; round <= warmRounds; round += 1) {
    await devnet.trade(1, round)
    proxy.take()
    const begin = performance.now()
    await callTool(server, tool, input)
    calls.push({ ms: performance.now() - begin, trips: proxy.take() })
  }
  server.stop()
  const [cold, ...warm] = calls
  return { cold, warm }
}

function figuresOf(tool, { cold, warm }) {
  const bar = long.has(tool) ? longBars : bars
  const reference = (calls) =>
    `${latencyMs} ms latency, ${Math.round(median(calls.map(({ ms }) => ms)))} ms, ${median(calls.map(({ trips }) => trips.length))} requests`
  const waits = (calls) => median(calls.map(({ trips }) => inSequence(trips)))
  return [
    figure({
      name: `${tool}: waits, cold`,
      value: waits([cold]),
      unit: 'count',
      reference: reference([cold]),
      bar: bar.cold,
    }),
    figure({
      name: `${tool}: waits, warm`,
      value: waits(warm),
      unit: 'count',
      reference: reference(warm),
      bar: bar.warm,
    }),
  ]
}

function explain(tool, { cold, warm }) {
  const text = (when, { trips, ms }) => {
    const [first] = trips
    const since = (at) => Math.round(at - first.from)
    const lines = trips.map(({ from, to, methods }) => `  ${since(from)}-${since(to)} ${counted(methods)}`)
    return [`${tool}, ${when}: ${inSequence(trips)} in sequence of ${trips.length}, ${Math.round(ms)} ms`, ...lines]
  }
  return [...text('cold', cold), ...text('warm', warm.at(-1))].join('\n')
}

function counted(methods) {
  const counts = new Map()
  for (const method of methods) counts.set(method, (counts.get(method) ?? 0) + 1)
  return [...counts].map(([method, count]) => (count === 1 ? method : `${method} x${count}`)).join(' ')
}
