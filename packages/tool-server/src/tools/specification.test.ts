import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { listTool } from '../dispatch/offered-tools.ts'
import type { Tool } from '../tool.ts'
import { catalogue } from './index.ts'
import { members } from './members.fixture.ts'

/** Parameters and result members that the specification names, a nested one as `feesCollected.totalUsd`. */
const specified: Readonly<Record<string, { parameters: string; required: string; result: string }>> = {
  add_liquidity: {
    parameters:
      'token0 token1 fee amount0 amount1 chain version priceLower priceUpper rangeStrategy hookAddress dryRun idempotencyKey',
    required: 'token0 token1 amount0 chain',
    result:
      'status txHash positionId version pool.poolAddress pool.token0 pool.token1 pool.fee amount0Deposited amount1Deposited amount0DepositedUsd amount1DepositedUsd priceLower priceUpper currentPrice rangeWidth estimatedFeeApy7d explorerUrl safetyChecks.tokenAllowlistPassed safetyChecks.spendingLimitPassed safetyChecks.simulationPassed',
  },
  remove_liquidity: {
    parameters: 'positionId chain percentage version collectFees',
    required: 'positionId chain',
    result:
      'status txHash positionId percentageRemoved amount0Received amount1Received amount0ReceivedUsd amount1ReceivedUsd feesCollected.amount0 feesCollected.amount1 feesCollected.totalUsd totalReceivedUsd explorerUrl',
  },
  collect_fees: {
    parameters: 'positionId chain version',
    required: 'positionId chain',
    result:
      'status txHash positionId feesCollected.amount0 feesCollected.amount0Symbol feesCollected.amount1 feesCollected.amount1Symbol feesCollected.totalUsd explorerUrl',
  },
  increase_liquidity: {
    parameters: 'positionId amount0 amount1 chain version',
    required: 'positionId amount0 chain',
    result:
      'status txHash positionId amount0Added amount1Added newTotalAmount0 newTotalAmount1 newTotalValueUsd explorerUrl',
  },
  compound_fees: {
    parameters: 'positionId chain version swapToRatio',
    required: 'positionId chain',
    result:
      'status txHash positionId feesCollected.amount0 feesCollected.amount1 feesCollected.totalUsd reinvested.amount0 reinvested.amount1 reinvested.swapExecuted reinvested.swapDetails newLiquidity explorerUrl',
  },
  rebalance_position: {
    parameters: 'positionId chain priceLower priceUpper rangeStrategy version',
    required: 'positionId chain',
    result:
      'status closedPosition.positionId closedPosition.txHash closedPosition.amount0Received closedPosition.amount1Received closedPosition.feesCollected newPosition.positionId newPosition.txHash newPosition.amount0Deposited newPosition.amount1Deposited newPosition.priceLower newPosition.priceUpper newPosition.currentPrice totalGasCostUsd',
  },
  migrate_position: {
    parameters: 'positionId chain outputHooks slippageTolerance',
    required: 'positionId chain',
    result:
      'status txHash oldPositionId newPositionId version pool.token0 pool.token1 pool.fee amount0Migrated amount1Migrated hooks explorerUrl',
  },
  claim_lp_rewards: {
    parameters: 'chain tokens distributor',
    required: 'chain tokens',
    result: 'status txHash claimed totalClaimedUsd distributor explorerUrl',
  },
  harvest_rewards: {
    parameters: 'chain wallet targetToken positionIds includeRewards slippageBps minHarvestUsd dryRun',
    required: 'chain',
    result:
      'status feesCollected rewardsClaimed consolidationSwaps summary.positionsHarvested summary.positionsSkipped summary.totalFeesUsd summary.totalRewardsUsd summary.consolidatedAmount summary.consolidatedToken summary.totalGasCostUsd summary.netValueUsd',
  },
  submit_twamm_order: {
    parameters: 'tokenIn tokenOut amount duration chain pool',
    required: 'tokenIn tokenOut amount duration chain',
    result:
      'status txHash orderId tokenIn.symbol tokenIn.totalAmount tokenOut.symbol duration sellRate estimatedOutput expiresAt explorerUrl',
  },
  get_twamm_order_status: {
    parameters: 'orderId pool chain',
    required: 'orderId pool chain',
    result:
      'orderId status progress.percentComplete progress.amountSold progress.amountReceived progress.avgPrice progress.remainingAmount timing.startedAt timing.expiresAt timing.timeRemaining vsSpotExecution.spotPriceAtStart vsSpotExecution.currentAvgPrice vsSpotExecution.twammPremiumPct vsSpotExecution.note',
  },
  recommend_fee_tier: {
    parameters: 'token0 token1 chain',
    required: 'token0 token1 chain',
    result: 'pair chain recommendation.feeTier recommendation.confidence recommendation.reason analysis timestamp',
  },
  backtest_lp_strategy: {
    parameters: 'token0 token1 chain amount startTime fee endTime strategies',
    required: 'token0 token1 chain amount startTime',
    result:
      'pair chain fee period.start period.end period.days priceChange.startPrice priceChange.endPrice priceChange.changePct hodlBenchmark.startValueUsd hodlBenchmark.endValueUsd hodlBenchmark.returnPct strategies winner.strategy winner.reason winner.caveat timestamp',
  },
  optimize_lp_range: {
    parameters: 'token0 token1 chain amount fee horizonDays riskTolerance simulations volatilitySource',
    required: 'token0 token1 chain amount',
    result:
      'pair chain fee currentPrice volatility.source volatility.annualized volatility.lookback optimalRange.priceLower optimalRange.priceUpper optimalRange.tickLower optimalRange.tickUpper optimalRange.rangeWidthPct projections.expectedFeeApr projections.expectedIlPct projections.expectedNetApr projections.inRangeProbability projections.feeIncome30dUsd projections.ilCost30dUsd projections.netPnl30dUsd candidateRanges methodology timestamp',
  },
}

/** Members of results in the order of the specification: at the top, and of the items of lists. */
const specifiedFirst: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  claim_lp_rewards: { claimed: 'token symbol amount amountUsd' },
  backtest_lp_strategy: {
    '': 'pair chain fee period priceChange hodlBenchmark strategies winner timestamp',
    strategies:
      'name feesEarnedUsd ilCostUsd rebalanceCount rebalanceGasCostUsd endValueUsd netReturnPct vsHodlPct inRangePct sharpeRatio',
  },
  optimize_lp_range: {
    '': 'pair chain fee currentPrice volatility optimalRange projections candidateRanges methodology timestamp',
    candidateRanges:
      'label priceLower priceUpper expectedFeeApr expectedIlPct expectedNetApr inRangeProbability outOfRangeRisk',
  },
  harvest_rewards: {
    feesCollected: 'positionId pool txHash amount0 amount0Symbol amount1 amount1Symbol totalUsd',
    consolidationSwaps: 'txHash tokenIn amountIn tokenOut amountOut priceImpactBps',
  },
  recommend_fee_tier: { '': 'pair chain recommendation analysis timestamp' },
}

/** What the specification says of values left out. */
const defaults: readonly (readonly [tool: string, parameter: string, value: unknown])[] = [
  ['add_liquidity', 'version', 'v3'],
  ['remove_liquidity', 'version', 'v3'],
  ['remove_liquidity', 'percentage', 100],
  ['remove_liquidity', 'collectFees', true],
  ['collect_fees', 'version', 'v3'],
  ['optimize_lp_range', 'horizonDays', 30],
  ['optimize_lp_range', 'riskTolerance', 'moderate'],
  ['optimize_lp_range', 'simulations', 5_000],
  ['optimize_lp_range', 'volatilitySource', 'historical'],
  ['increase_liquidity', 'version', 'v3'],
  ['compound_fees', 'version', 'v3'],
  ['compound_fees', 'swapToRatio', true],
  ['rebalance_position', 'version', 'v3'],
  ['migrate_position', 'slippageTolerance', 50],
  ['harvest_rewards', 'includeRewards', true],
  ['harvest_rewards', 'slippageBps', 100],
  ['harvest_rewards', 'minHarvestUsd', 0.1],
]

const named = (name: string): Tool => {
  const tool = catalogue.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

describe('the specification', () => {
  test.each(Object.entries(specified))('of %s: each parameter and result member is there', (name, wanted) => {
    const { inputSchema } = listTool(named(name))
    const outputSchema = z.toJSONSchema(named(name).output, { io: 'input' })
    const results = wanted.result.split(' ')
    const top = [...new Set(results.map((path) => path.split('.')[0] ?? ''))]
    expect(Object.keys(members(inputSchema))).toEqual(expect.arrayContaining(wanted.parameters.split(' ')))
    expect(inputSchema['required']).toEqual(wanted.required.split(' '))
    expect(Object.keys(members(outputSchema))).toEqual(expect.arrayContaining(top))
    for (const [parent, child] of results.filter((path) => path.includes('.')).map((path) => path.split('.'))) {
      expect(members(members(outputSchema)[parent ?? ''])).toHaveProperty(child ?? '')
    }
  })

  test.each(Object.entries(specifiedFirst))('of %s: its results come first, in its order', (name, paths) => {
    const { outputSchema } = listTool(named(name))
    // What every read says is not listed with each.
    const whole = z.toJSONSchema(named(name).output, { io: 'input' })
    for (const [path, wanted] of Object.entries(paths)) {
      const at = path === '' ? whole : itemsOf(members(outputSchema)[path])
      const order = wanted.split(' ')
      expect([path, Object.keys(members(at)).slice(0, order.length)]).toEqual([path, order])
    }
  })

  test.each(defaults)('%s: %s is %s by default', (name, parameter, value) => {
    expect(members(listTool(named(name)).inputSchema)[parameter]).toHaveProperty('default', value)
  })

  test('offers v2 in nothing but add, remove, swap, quote and pool reads', () => {
    const versions = Object.fromEntries(
      catalogue.flatMap((tool) => {
        const { version } = members(listTool(tool).inputSchema)
        return version === undefined ? [] : [[tool.name, (version as { enum: string[] }).enum.join(' ')]]
      }),
    )
    expect(versions).toEqual({
      add_liquidity: 'v2 v3 v4',
      collect_fees: 'v3 v4',
      compound_fees: 'v3 v4',
      execute_swap: 'v2 v3 v4',
      get_pool_info: 'v2 v3 v4',
      get_pool_state: 'v2 v3 v4',
      get_pools_by_token_pair: 'v2 v3 v4',
      get_position: 'v3 v4',
      get_position_performance: 'v3 v4',
      get_price_history: 'v2 v3 v4',
      get_quote: 'v2 v3 v4',
      get_tick_data: 'v3 v4',
      get_volume_history: 'v2 v3 v4',
      increase_liquidity: 'v3 v4',
      rebalance_position: 'v3 v4',
      remove_liquidity: 'v2 v3 v4',
      watch_position: 'v3 v4',
    })
  })
})

function itemsOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null && 'items' in schema ? schema.items : undefined
}
