// The codes of the specification, each reached by a call of a client.
import { earn } from './stranger.mjs'

/** By tests of `npm test`, through clients of both generations: the first needs a token that turns, the second a minute. */
export const elsewhere = ['harvest_rewards HARVEST_PARTIAL_FAILURE', 'optimize_lp_range SIMULATION_TIMEOUT']

export async function refuseAtFirst(held, { hasKey }) {
  await held.refused('harvest_rewards', {}, 'NO_POSITIONS')
  const pair = { token0: 'WETH', token1: 'USDC' }
  const apart = { token0: 'WBTC', token1: 'USDT' }
  const amount = '10000'
  const isoAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString()
  const startTime = isoAgo(20)
  await held.refused('optimize_lp_range', { ...apart, amount }, 'NO_POOL')
  await held.refused('recommend_fee_tier', apart, 'NO_POOLS')
  await held.refused('recommend_fee_tier', { ...apart, token1: 'NOSUCH' }, 'TOKEN_NOT_FOUND')
  await held.refused('backtest_lp_strategy', { ...apart, amount, startTime }, 'NO_POOL')
  await held.refused('backtest_lp_strategy', { ...pair, amount, startTime: isoAgo(5) }, 'INSUFFICIENT_HISTORY')
  const strategies = '[{"name":"narrow"'
  await held.refused('backtest_lp_strategy', { ...pair, amount, startTime, strategies }, 'INVALID_STRATEGY')
  const sale = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 7_200 }
  await held.refused('submit_twamm_order', { ...sale, tokenOut: 'DAI' }, 'NO_TWAMM_HOOK')
  await held.refused('submit_twamm_order', { ...sale, amount: '0.000000000000000001' }, 'AMOUNT_TOO_SMALL')
  await held.refused('submit_twamm_order', { ...sale, duration: 60 }, 'DURATION_TOO_SHORT')
  const orderId = `0x${'1'.repeat(64)}`
  await held.refused('get_twamm_order_status', { orderId, pool: held.ready.twamm.pool.id }, 'ORDER_NOT_FOUND')
  await held.refused('get_twamm_order_status', { orderId, pool: orderId }, 'POOL_NOT_FOUND')
  if (hasKey) await held.refused('migrate_position', { positionId: '999999' }, 'POSITION_NOT_FOUND')
}

/** Where positions stand that the wallet can work with. */
export async function refuseAtLast(held, { route: { builds }, trade, position }) {
  await held.refused('harvest_rewards', { minHarvestUsd: 1_000_000 }, 'DUST_FILTER_ALL_SKIPPED')
  await earn(held, { position, trade })
  const unsold = { minHarvestUsd: 0, targetToken: 'USDC', slippageBps: 5_000 }
  await held.refused('harvest_rewards', unsold, 'CONSOLIDATION_SWAP_FAILED', { sends: true })
  if (builds.includes('rewards')) await held.refused('claim_lp_rewards', { tokens: ['DAI'] }, 'NO_REWARDS_AVAILABLE')
  // A pool without a past, whose pair has no pool of v4.
  const young = { token0: 'WBTC', token1: 'DAI', fee: 3_000, amount0: '0.01', amount1: '900', rangeStrategy: 'medium' }
  const { positionId } = await held.ask('add_liquidity', young)
  const { token0, token1, fee } = young
  await held.refused('optimize_lp_range', { token0, token1, fee, amount: '100' }, 'INSUFFICIENT_HISTORY')
  if (builds.includes('migration')) await held.refused('migrate_position', { positionId }, 'MIGRATION_NOT_SUPPORTED')
}
