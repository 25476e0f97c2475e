import { readdirSync, readFileSync } from 'node:fs'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { listTool } from '../dispatch/offered-tools.ts'
import { isSummed } from '../dispatch/call-result.ts'
import { blockMembers, commonMembers } from '../dispatch/tool-schemas.ts'
import { instructions } from '../open-core.ts'
import { dataTools, namesBeyondData } from './data-tools.ts'
import { catalogue } from './index.ts'
import { members } from './members.fixture.ts'
import { refusedFields } from './refusals.fixture.ts'

/** Of the data profile, what is of the server, of what it knows without asking, of several chains, or of rows that each name their block. */
const atNoBlock = ['check_safety_status', 'check_setup_health', 'list_supported_chains', 'search_tokens']

/** access, scope and membership of the data profile, as the catalogue of tools says. */
const pinned: Readonly<Record<string, readonly [access: string, scope: string, isInData: boolean]>> = {
  add_liquidity: ['write', 'write:liquidity', false],
  approve_token: ['write', 'admin:wallet', false],
  backtest_lp_strategy: ['read', 'read:market', true],
  batch_lp_operations: ['write', 'write:liquidity', false],
  cancel_operation: ['write', 'of-operation', false],
  cancel_twamm_order: ['write', 'write:trade', false],
  cancel_uniswapx_order: ['write', 'write:trade', false],
  cancel_watch: ['record', 'feedback', false],
  check_safety_status: ['read', 'admin:wallet', true],
  check_setup_health: ['read', 'read:portfolio', true],
  claim_lp_rewards: ['write', 'write:liquidity', false],
  claim_twamm_order: ['write', 'write:trade', false],
  collect_fees: ['write', 'write:liquidity', false],
  compound_fees: ['write', 'write:liquidity', false],
  execute_plan: ['write', 'of-operation', false],
  execute_swap: ['write', 'write:trade', false],
  get_agent_balance: ['read', 'read:portfolio', true],
  get_claimable_rewards: ['read', 'read:portfolio', true],
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
  get_twamm_order_status: ['read', 'read:portfolio', true],
  get_vault_info: ['read', 'read:market', true],
  get_volume_history: ['read', 'read:market', true],
  harvest_rewards: ['write', 'write:liquidity', false],
  increase_liquidity: ['write', 'write:liquidity', false],
  list_operations: ['read', 'read:portfolio', false],
  list_supported_chains: ['read', 'read:market', true],
  list_watches: ['read', 'read:portfolio', false],
  manage_insight: ['record', 'feedback', false],
  migrate_position: ['write', 'write:liquidity', false],
  optimize_lp_range: ['read', 'read:market', true],
  provision_wallet: ['write', 'admin:wallet', false],
  query_agent_identity: ['read', 'read:market', true],
  recommend_fee_tier: ['read', 'read:market', true],
  register_agent: ['write', 'admin:wallet', false],
  rebalance_position: ['write', 'write:liquidity', false],
  remove_liquidity: ['write', 'write:liquidity', false],
  search_pools: ['read', 'read:market', true],
  search_tokens: ['read', 'read:market', true],
  submit_cross_chain_intent: ['write', 'write:trade', false],
  submit_operator_feedback: ['record', 'feedback', false],
  submit_twamm_order: ['write', 'write:trade', false],
  submit_uniswapx_order: ['write', 'write:trade', false],
  update_memory_confidence: ['record', 'feedback', false],
  vault_deposit: ['write', 'write:vault', false],
  vault_rebalance: ['write', 'write:vault', false],
  vault_simulate_deposit: ['read', 'read:market', true],
  vault_withdraw: ['write', 'write:vault', false],
  watch_position: ['record', 'feedback', false],
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

describe('the catalogue', () => {
  test('holds each tool once, sorted, each in one file of its group', () => {
    const names = catalogue.map((tool) => tool.name)
    const folder = new URL('.', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('/') && path.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$/.test(path))
      .map((path) =>
        [...readFileSync(new URL(path, folder), 'utf8').matchAll(/^ {2}name: '([a-z_]+)',$/gm)].map(
          ([, name = '']) => name,
        ),
      )
    expect(names).toEqual([...new Set(names)].sort())
    expect(files.flat().sort()).toEqual(names)
    expect(files.filter((tools) => tools.length === 0)).toEqual([])
  })

  test.each(catalogue.map((tool) => [tool.name, tool] as const))(
    '%s has its pinned tier, scope and profile',
    (_, tool) => {
      const [access, scope, isInData] = pinned[tool.name] ?? []
      const tier = access === 'record' ? 'feedback' : access
      expect([tool.access, tool.tier, tool.scope, tool.inDataProfile]).toEqual([access, tier, scope, isInData])
      expect(tool.annotations.readOnlyHint).toBe(access === 'read')
      expect(typeof tool.annotations.destructiveHint).toBe(access === 'read' ? 'undefined' : 'boolean')
    },
  )

  test('says of the tools that reach nothing outside of this server that their world is closed', () => {
    const closed = catalogue.filter(({ annotations }) => annotations.openWorldHint === false).map(({ name }) => name)
    expect(closed).toEqual([
      'cancel_operation',
      'cancel_watch',
      'check_safety_status',
      'get_operation',
      'list_operations',
      'list_watches',
      'manage_insight',
      'submit_operator_feedback',
      'update_memory_confidence',
    ])
    const { annotations } = listTool(catalogue.find(({ name }) => name === 'get_operation')!)
    expect(annotations).toEqual({ readOnlyHint: true, openWorldHint: false })
  })

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

describe('the definitions', () => {
  test('say what a tool does in at most 300 characters of plain text', () => {
    for (const { name, title, description } of catalogue) {
      expect([name, description.length <= 300, title.length <= 40]).toEqual([name, true, true])
      expect(`${title}${description}`).toMatch(/^[ -~]+$/)
      expect(description).toMatch(/\.$/)
    }
  })

  test('list every member of a result but those that all results share, and no result lacks one', () => {
    for (const tool of catalogue) {
      const schema = z.toJSONSchema(tool.output, { io: 'input' })
      expect([tool.name, [...new Set(optionalMembers(schema))]]).toEqual([tool.name, mayBeMissing[tool.name] ?? []])
      const { outputSchema } = listTool(tool)
      const listed = Object.keys(members(outputSchema))
      const unlisted = Object.keys(members(schema)).filter((name) => !listed.includes(name))
      const own = unlisted.filter((name) => ![...commonMembers, ...blockMembers].some((common) => common === name))
      expect([tool.name, own]).toEqual([tool.name, documentedAlone[tool.name] ?? []])
      expect([tool.name, JSON.stringify(outputSchema)]).toEqual([tool.name, expect.not.stringContaining('"required"')])
    }
  })

  test('have each answer about a chain say when, from where and as of which block', () => {
    const members = catalogue.map((tool) => ({ ...tool, members: Object.keys(tool.output.shape) }))
    const stamp = ['chain', 'timestamp', 'source', 'blockNumber', 'blockAgeSeconds']
    const without = members.filter((tool) => tool.inDataProfile && stamp.some((name) => !tool.members.includes(name)))
    expect(without.map(({ name }) => name)).toEqual(atNoBlock)
  })

  test('leave out what the instructions of the server name', () => {
    for (const name of [...commonMembers, ...blockMembers]) expect(instructions).toMatch(new RegExp(`\\b${name}\\b`))
  })

  test('are read with instructions that say what every atomicity means, and where a plan says that it would be refused', () => {
    for (const value of ['single', 'multicall', 'batch-7702', 'sequential', 'none']) {
      expect(instructions).toMatch(new RegExp(`\\b${value}\\b`))
    }
    expect(instructions).toContain('Approvals go before, as transactions of their own')
    expect(instructions).toMatch(
      /what decides is plan.policy.verdict: where allowed is true, conditions may still ask for a person/,
    )
    expect(instructions).toMatch(/priceLower or priceUpper null: the range has no end there/)
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

  test('take the id of a chain as a number, too, wherever they take a chain', () => {
    const taking = catalogue.filter((tool) => 'chain' in tool.input.shape)
    expect(taking.length).toBeGreaterThan(20)
    for (const tool of taking) {
      expect([tool.name, z.safeParse(tool.input.shape['chain'], 31337).data]).toEqual([tool.name, '31337'])
      expect(members(listTool(tool).inputSchema)['chain']).toMatchObject({ type: 'string' })
    }
  })

  test('say what a member of an answer is where its name does not', () => {
    for (const [name, path, words] of described) {
      expect([name, path, descriptionAt(name, path)]).toEqual([name, path, words])
    }
  })

  test('have these dollars that are shown to six digits, because nothing is their sum', () => {
    const names = new Set(catalogue.flatMap(({ output }) => memberNames(z.toJSONSchema(output, { io: 'input' }))))
    const dollars = [...names].filter((name) => /usd$/i.test(name))
    expect(dollars.filter((name) => !isSummed(name)).sort()).toEqual([
      'liquidityUsd',
      'nativeUsd',
      'priceUsd',
      'tvlUsd',
      'volume24hUsd',
      'volume7dUsd',
      'volumeUsd',
    ])
  })

  test('stay within their budgets', () => {
    const sizes = catalogue.map((tool) => {
      const listed = listTool(tool)
      return {
        name: tool.name,
        inData: tool.inDataProfile,
        input: JSON.stringify(listed.inputSchema).length,
        output: JSON.stringify(listed.outputSchema).length,
        tokens: countTokens(JSON.stringify(listed)),
      }
    })
    expect(sizes.filter(({ input }) => input > 1024)).toEqual([])
    expect(sizes.filter(({ output }) => output > 2048)).toEqual([])
    expect(sum(sizes.map(({ tokens }) => tokens)) / sizes.length).toBeLessThanOrEqual(350)
    expect(sizes.filter(({ tokens }) => tokens > 700)).toEqual([])
    const inData = sizes.filter((tool) => tool.inData)
    expect(inData).toHaveLength(28)
    expect(sum(inData.map(({ tokens }) => tokens))).toBeLessThanOrEqual(12_000)
  })

  test('of a server that only reads are those of its profile, and it knows the names of the others', () => {
    const [own, others] = [true, false].map((isOwn) => catalogue.filter((tool) => tool.inDataProfile === isOwn))
    expect(dataTools).toEqual(own)
    expect(namesBeyondData).toEqual(others?.map(({ name }) => name))
  })

  test('are these, to the letter', () => {
    expect(catalogue.map(listTool)).toMatchSnapshot()
  })
})

/** Members whose unit, order, sign or reference point cannot be guessed. */
const described: readonly (readonly [tool: string, path: string, words: string])[] = [
  ['add_liquidity', 'rangeWidth', 'Lower to upper, of the price'],
  ['add_liquidity', 'estimatedFeeApy7d', 'Percent a year, on the path of 7 days past'],
  ['execute_swap', 'price', 'tokenOut per tokenIn'],
  ['execute_swap', 'priceImpactBps', 'Negative: better than the market'],
  ['get_claimable_rewards', 'rewards.amount', 'A claim pays it now'],
  ['get_claimable_rewards', 'rewards.pending', "The service's word alone"],
  ['get_claimable_rewards', 'rewards.doubt', 'Why it is not counted'],
  ['get_pool_info', 'feeApr24h', 'Percent a year'],
  ['get_pools_by_token_pair', 'items.feeApr7d', 'Percent a year'],
  ['get_position', 'distanceToLowerPct', 'Of the price; negative: passed'],
  ['get_position_performance', 'hodlUsd', 'What was put in, at prices now'],
  ['get_position_performance', 'vsHodlPct', '(ilUsd + feesUsd) / hodlUsd'],
  ['get_quote', 'price', 'tokenOut per tokenIn'],
  ['get_quote', 'priceImpactBps', 'Worse than the market, without fees; negative: better'],
  ['get_tick_data', 'ticks.liquidityNet', 'Added as the price rises past it'],
  ['get_token_price', 'lowUsd', 'Lowest that limits count with'],
  ['get_vault_info', 'apyPct', 'Since pastAt'],
  ['get_vault_info', 'sharePrice', 'In the asset'],
  ['list_supported_chains', 'items.headAgeSeconds', 'Of the newest block'],
  ['optimize_lp_range', 'optimalRange.rangeWidthPct', 'Lower to upper, of the price'],
  ['recommend_fee_tier', 'recommendation.leadApr', 'Its netApr over the next'],
  ['recommend_fee_tier', 'recommendation.leadErrorsApr', 'What errors explain of leadApr'],
  ['search_pools', 'items.feeApr24h', 'Percent a year'],
]

function descriptionAt(name: string, path: string): unknown {
  const tool = catalogue.find((one) => one.name === name)
  const schema: unknown = tool === undefined ? {} : listTool(tool).outputSchema
  return memberOf(
    path.split('.').reduce((at, inner) => members(memberOf(at, 'items') ?? at)[inner], schema),
    'description',
  )
}

function memberOf(value: unknown, name: string): unknown {
  return new Map(Object.entries(value ?? {})).get(name)
}

/** What docs/analytics.md, or the description of the tool, names instead. */
const documentedAlone: Readonly<Record<string, readonly string[]>> = {
  add_liquidity: ['insights'],
  check_safety_status: ['alerts'],
  migrate_position: ['token0Symbol', 'token1Symbol'],
  optimize_lp_range: ['sensitivity', 'simulation', 'memoryCalibration', 'insights'],
}

/** Tool, parameter, least and most. */
const bounds: readonly (readonly [string, string, number, number | undefined])[] = [
  ['add_liquidity', 'slippageBps', 1, 5_000],
  ['add_liquidity', 'deadlineSeconds', 10, 86_400],
  ['collect_fees', 'deadlineSeconds', 10, 86_400],
  ['compound_fees', 'slippageBps', 1, 5_000],
  ['compound_fees', 'deadlineSeconds', 10, 86_400],
  ['execute_swap', 'slippageBps', 1, 5_000],
  ['execute_swap', 'deadlineSeconds', 10, 86_400],
  ['get_pools_by_token_pair', 'limit', 1, 100],
  ['get_positions_by_owner', 'limit', 1, 100],
  ['get_quote', 'slippageBps', 1, 5_000],
  ['get_tick_data', 'tickLower', -887_272, 887_272],
  ['get_tick_data', 'tickUpper', -887_272, 887_272],
  ['get_tick_data', 'maxTicks', 1, 500],
  ['get_vault_info', 'days', 1, 365],
  ['harvest_rewards', 'slippageBps', 1, 5_000],
  ['harvest_rewards', 'minHarvestUsd', 0, 1_000_000],
  ['increase_liquidity', 'slippageBps', 1, 5_000],
  ['increase_liquidity', 'deadlineSeconds', 10, 86_400],
  ['list_operations', 'limit', 1, 100],
  ['list_watches', 'limit', 1, 100],
  ['manage_insight', 'confidence', 0, 1],
  ['manage_insight', 'limit', 1, 100],
  ['migrate_position', 'slippageTolerance', 1, 5_000],
  ['optimize_lp_range', 'horizonDays', 0.05, 365],
  ['optimize_lp_range', 'simulations', 1, 50_000],
  ['optimize_lp_range', 'seed', 0, 4_294_967_295],
  ['rebalance_position', 'slippageBps', 1, 5_000],
  ['rebalance_position', 'deadlineSeconds', 10, 86_400],
  ['remove_liquidity', 'percentage', 1, 100],
  ['remove_liquidity', 'slippageBps', 1, 10_000],
  ['remove_liquidity', 'deadlineSeconds', 10, 86_400],
  ['search_pools', 'minTvlUsd', 0, undefined],
  ['search_pools', 'minVolumeUsd', 0, undefined],
  ['search_pools', 'limit', 1, 100],
  ['search_tokens', 'limit', 1, 100],
  ['submit_cross_chain_intent', 'slippageBps', 1, 5_000],
  ['submit_cross_chain_intent', 'relayerFeeBps', 0, 200],
  ['submit_cross_chain_intent', 'deadlineSeconds', 10, 86_400],
  ['submit_twamm_order', 'duration', 1, 2_592_000],
  ['submit_uniswapx_order', 'slippageBps', 1, 5_000],
  ['submit_uniswapx_order', 'deadlineSeconds', 10, 86_400],
  ['update_memory_confidence', 'confidence', 0, 1],
  ['vault_deposit', 'slippageBps', 1, 500],
  ['vault_withdraw', 'slippageBps', 1, 10_000],
  ['watch_position', 'ilPct', 0.01, 100],
  ['watch_position', 'feeDropPct', 0.01, 100],
  ['watch_position', 'feesWaitingPct', 0.01, 100],
  ['watch_position', 'limitPct', 0.01, 100],
  ['watch_position', 'paysWithinDays', 1, 365],
]

/** An operation that waits has no transactions, and one that ran is none that waits; memory is read back under `learning` alone. */
const mayBeMissing: Readonly<Record<string, readonly string[]>> = {
  add_liquidity: ['insights'],
  batch_lp_operations: ['closedPositionId', 'feesUsd', 'receivedUsd', 'depositedUsd'],
  execute_plan: ['txHash', 'transactions', 'operationId', 'executeAfter'],
  optimize_lp_range: ['memoryCalibration', 'insights'],
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

/** Names of members at any depth. */
function memberNames(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return [...Object.keys(members(schema)), ...Object.values(schema).flatMap(memberNames)]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
