import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { listTool } from '../dispatch/list-tools.ts'
import type { Tool } from '../tool.ts'
import { catalogue } from './index.ts'
import { refusedFields } from './refusals.fixture.ts'

/** access, scope and membership of the data profile, as the catalogue of tools says. */
const pinned: Readonly<Record<string, readonly [access: string, scope: string, isInData: boolean]>> = {
  add_liquidity: ['write', 'write:liquidity', false],
  approve_token: ['write', 'admin:wallet', false],
  backtest_lp_strategy: ['read', 'read:market', true],
  cancel_operation: ['write', 'of-operation', false],
  check_safety_status: ['read', 'admin:wallet', true],
  check_setup_health: ['read', 'read:portfolio', true],
  collect_fees: ['write', 'write:liquidity', false],
  execute_plan: ['write', 'of-operation', false],
  execute_swap: ['write', 'write:trade', false],
  get_agent_balance: ['read', 'read:portfolio', true],
  get_gas_price: ['read', 'read:market', true],
  get_operation: ['read', 'read:portfolio', false],
  get_pool_info: ['read', 'read:market', true],
  get_pool_state: ['read', 'read:market', true],
  get_pools_by_token_pair: ['read', 'read:market', true],
  get_position: ['read', 'read:portfolio', true],
  get_position_performance: ['read', 'read:portfolio', true],
  get_positions_by_owner: ['read', 'read:portfolio', true],
  get_price_history: ['read', 'read:market', true],
  get_quote: ['read', 'read:market', true],
  get_tick_data: ['read', 'read:market', true],
  get_token_info: ['read', 'read:market', true],
  get_token_price: ['read', 'read:market', true],
  get_transaction_status: ['read', 'read:market', true],
  get_volume_history: ['read', 'read:market', true],
  increase_liquidity: ['write', 'write:liquidity', false],
  list_operations: ['read', 'read:portfolio', false],
  list_supported_chains: ['read', 'read:market', true],
  optimize_lp_range: ['read', 'read:market', true],
  provision_wallet: ['write', 'admin:wallet', false],
  query_agent_identity: ['read', 'read:market', true],
  recommend_fee_tier: ['read', 'read:market', true],
  register_agent: ['write', 'admin:wallet', false],
  remove_liquidity: ['write', 'write:liquidity', false],
  search_pools: ['read', 'read:market', true],
  search_tokens: ['read', 'read:market', true],
}

/** Read-only tools whose names have no read prefix, in the whole catalogue of tools. */
const readWithoutPrefix = new Set([
  'optimize_lp_range',
  'recommend_fee_tier',
  'backtest_lp_strategy',
  'vault_simulate_deposit',
  'check_setup_health',
  'check_safety_status',
])

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
]

const named = (name: string): Tool => {
  const tool = catalogue.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

describe('the catalogue', () => {
  test('holds each tool once, sorted, each in the file of its name', () => {
    const names = catalogue.map((tool) => tool.name)
    const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('/') && path.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$/.test(path))
      .map((path) => path.replace(/^.*\//, '').replace(/\.ts$/, '').replaceAll('-', '_'))
    expect(names).toEqual([...new Set(names)].sort())
    expect(files.sort()).toEqual(names)
  })

  test.each(catalogue.map((tool) => [tool.name, tool] as const))(
    '%s has its pinned tier, scope and profile',
    (_, tool) => {
      const [access, scope, isInData] = pinned[tool.name] ?? []
      expect([tool.access, tool.tier, tool.scope, tool.inDataProfile]).toEqual([access, access, scope, isInData])
      expect(tool.annotations.readOnlyHint).toBe(access === 'read')
      expect(typeof tool.annotations.destructiveHint).toBe(access === 'read' ? 'undefined' : 'boolean')
    },
  )

  test('is read-only where the name says so, and elsewhere only for the frozen set', () => {
    for (const tool of catalogue) {
      const isPrefixed = /^(get|search|list|query)_/.test(tool.name)
      expect([tool.name, tool.access === 'read']).toEqual([tool.name, isPrefixed || readWithoutPrefix.has(tool.name)])
    }
  })

  test('refuses unknown members in every tool', async () => {
    for (const tool of catalogue) {
      expect([tool.name, await refusedFields(tool, { surprise: 1 })]).toEqual([
        tool.name,
        expect.arrayContaining(['surprise']),
      ])
    }
  })
})

describe('the specification', () => {
  test.each(Object.entries(specified))('of %s: each parameter and result member is there', (name, wanted) => {
    const { inputSchema, outputSchema } = listTool(named(name))
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
    for (const [path, wanted] of Object.entries(paths)) {
      const at = path === '' ? outputSchema : itemsOf(members(outputSchema)[path])
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
      remove_liquidity: 'v2 v3 v4',
    })
  })
})

describe('the definitions', () => {
  test('say what a tool does in at most 300 characters of plain text', () => {
    for (const { name, title, description } of catalogue) {
      expect([name, description.length <= 300, title.length <= 40]).toEqual([name, true, true])
      expect(`${title}${description}`).toMatch(/^[ -~]+$/)
      expect(description).toMatch(/\.$/)
    }
  })

  test('promise every member of a result: those of the top by the schema, the others by having no member that may be missing', () => {
    for (const tool of catalogue) {
      const schema = z.toJSONSchema(tool.output, { io: 'input' })
      expect([tool.name, optionalMembers(schema)]).toEqual([tool.name, mayBeMissing[tool.name] ?? []])
      const isPlan = tool.access === 'write' && tool.scope !== 'of-operation'
      expect([tool.name, listTool(tool).outputSchema['required']]).toEqual([
        tool.name,
        isPlan ? undefined : schema.required,
      ])
    }
  })

  test('show the bounds of numbers, at which one refusal says all', () => {
    const bounded = catalogue.flatMap((tool) =>
      Object.entries(members(listTool(tool).inputSchema)).flatMap(([name, schema]) => {
        const { minimum, maximum, type } = schema as { minimum?: number; maximum?: number; type: string }
        return minimum === undefined ? [] : [{ tool, name, minimum, maximum, type }]
      }),
    )
    expect(bounded.map(({ tool, name, minimum, maximum }) => [tool.name, name, minimum, maximum])).toEqual(bounds)
    for (const { tool, name, minimum, maximum = Number.POSITIVE_INFINITY, type } of bounded) {
      const check = (value: number) =>
        z.safeParse(tool.input.shape[name], value).error?.issues.map(({ message }) => message)
      const step = type === 'integer' ? 1 : 0.01
      const refused = [minimum - step, maximum + step, ...(type === 'integer' ? [minimum + 0.5] : [])]
      expect([tool.name, name, check(minimum), maximum < Infinity ? check(maximum) : undefined]).toEqual([
        tool.name,
        name,
        undefined,
        undefined,
      ])
      for (const value of refused) {
        expect([tool.name, name, value, check(value)]).toEqual([
          tool.name,
          name,
          value,
          [expect.stringMatching(/^Accepted: /)],
        ])
      }
    }
  })

  test('stay within their budgets', () => {
    const sizes = catalogue.map((tool) => {
      const listed = listTool(tool)
      return {
        name: tool.name,
        inData: tool.inDataProfile,
        input: JSON.stringify(listed.inputSchema).length,
        output: JSON.stringify(listed.outputSchema).length,
        tokens: JSON.stringify(listed).length / charactersPerToken,
      }
    })
    expect(sizes.filter(({ input }) => input > 1024)).toEqual([])
    expect(sizes.filter(({ output }) => output > 2048)).toEqual([])
    expect(sum(sizes.map(({ tokens }) => tokens)) / sizes.length).toBeLessThanOrEqual(425)
    expect(sum(sizes.filter(({ inData }) => inData).map(({ tokens }) => tokens))).toBeLessThanOrEqual(12_000)
  })

  test('are these, to the letter', () => {
    expect(catalogue.map(listTool)).toMatchSnapshot()
  })
})

/** Tool, parameter, least and most. */
const bounds: readonly (readonly [string, string, number, number | undefined])[] = [
  ['get_pools_by_token_pair', 'limit', 1, 100],
  ['get_positions_by_owner', 'limit', 1, 100],
  ['get_tick_data', 'tickLower', -887_272, 887_272],
  ['get_tick_data', 'tickUpper', -887_272, 887_272],
  ['get_tick_data', 'maxTicks', 1, 500],
  ['list_operations', 'limit', 1, 100],
  ['optimize_lp_range', 'horizonDays', 0.05, 365],
  ['optimize_lp_range', 'simulations', 1, 50_000],
  ['optimize_lp_range', 'seed', 0, 4_294_967_295],
  ['remove_liquidity', 'percentage', 1, 100],
  ['search_pools', 'minTvlUsd', 0, undefined],
  ['search_pools', 'minVolumeUsd', 0, undefined],
  ['search_pools', 'limit', 1, 100],
  ['search_tokens', 'limit', 1, 100],
]

/** Measured on these definitions with the o200k tokenizer: 4.078; the lower the stricter. */
const charactersPerToken = 4.07

/** An operation that waits has no transactions, and one that ran is none that waits. */
const mayBeMissing: Readonly<Record<string, readonly string[]>> = {
  execute_plan: ['txHash', 'transactions', 'operationId', 'executeAfter'],
}

/** Paths of members, at any depth, that a value of the schema may lack. */
function optionalMembers(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(optionalMembers)
  if (typeof schema !== 'object' || schema === null) return []
  const required = 'required' in schema ? (schema.required as readonly string[]) : []
  const own = Object.keys(members(schema)).filter((name) => !required.includes(name))
  return [
    ...own,
    ...Object.values(schema).flatMap(optionalMembers),
    ...Object.values(members(schema)).flatMap(optionalMembers),
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function itemsOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null && 'items' in schema ? schema.items : undefined
}

function members(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : {}
  return properties as Readonly<Record<string, unknown>>
}
