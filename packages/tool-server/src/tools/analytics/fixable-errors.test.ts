import { expect, test } from 'vitest'
import { EndpointError } from '../../../../amm/src/rpc/post-json-rpc.ts'
import { rpcFailure } from '../../../../amm/src/rpc/rpc-failure.ts'
import { requireDeployment } from '../../../../amm/src/liquidity/planning/refusals.ts'
import { type Pool, type PoolBars, ToolError } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import type { Tool } from '../../tool.ts'
import type { WriteContext } from '../../tool-context.ts'
import { getPriceHistory, getVolumeHistory } from '../market/history.ts'
import { getTickData } from '../market/pool-state.ts'
import { refusalOf } from '../refusals.fixture.ts'
import { backtestLpStrategy } from './backtest-lp-strategy.ts'
import { optimizeLpRange } from './optimize-lp-range.ts'
import { poolWorld, type Market } from './pool-world.fixture.ts'
import { recommendFeeTier } from './recommend-fee-tier.ts'

/** A way in which the world of one pool differs. */
type Change = Partial<Market> & {
  readonly pools?: (pool: Pool) => readonly Pool[]
  readonly history?: (history: PoolBars) => PoolBars
  readonly isUnpriced?: boolean
  /** Nothing stands under an id but a pair of v2. */
  readonly isPair?: boolean
  readonly isLate?: 'simulate' | 'replay'
}

const pair = { token0: 'AAA', token1: 'BBB', chain: 'base' }
const ago = (days: number) => new Date(Date.UTC(2026, 10, 21) - days * 86_400_000).toISOString()
const range = { ...pair, amount: '1000' }
const past = { ...range, startTime: ago(18) }
const pairId = { chain: 'base', pool: `0x${'3'.repeat(40)}` }
const asV2 = (pool: Pool): Pool => ({ ...pool, version: 'v2', tickSpacing: null })
const unpriced = (history: PoolBars): PoolBars => ({ ...history, figures: { ...history.figures, volumeUsd: null } })
const holey = (days: number) => (history: PoolBars) => {
  const gapsAt = [...history.bars.startsAt.subarray(0, days * 24)]
  return { ...history, completeness: { ...history.completeness, gaps: gapsAt.length, gapsAt } }
}
const found = (version: string) => [expect.objectContaining({ version, fee: 3_000, pool: pairId.pool })]

type Row = readonly [why: string, tool: Tool, args: object, change: Change, code: string, details: readonly object[]]

const rows: readonly Row[] = [
  [
    'no pool at all',
    optimizeLpRange,
    range,
    { pools: () => [] },
    'NO_POOL',
    [{ field: 'token1', tokens: ['AAA', 'BBB'], found: [] }],
  ],
  [
    'no pool of the fee',
    optimizeLpRange,
    { ...range, fee: 500 },
    {},
    'NO_POOL',
    [{ field: 'fee', accepted: ['3000'], found: found('v3') }],
  ],
  [
    'a v2 pair only',
    backtestLpStrategy,
    past,
    { pools: (pool) => [asV2(pool)] },
    'NO_POOL',
    [{ field: 'token1', message: expect.stringContaining('no ranges'), found: found('v2') }],
  ],
  [
    'no fee tier',
    recommendFeeTier,
    pair,
    { pools: () => [] },
    'NO_POOLS',
    [{ field: 'token1', tokens: ['AAA', 'BBB'], feesLookedFor: [100, 500, 3_000, 10_000] }],
  ],
  [
    'no pool of the fee',
    getPriceHistory,
    { ...pair, fee: 500 },
    {},
    'POOL_NOT_FOUND',
    [{ field: 'fee', accepted: ['3000'] }],
  ],
  [
    'a pool of the fee in another version only',
    getPriceHistory,
    { ...pair, fee: 500, version: 'v3' },
    { pools: (pool) => [pool, { ...pool, version: 'v4', fee: 500 }] },
    'POOL_NOT_FOUND',
    [{ field: 'fee', accepted: ['3000'] }],
  ],
  [
    'no pool of the version',
    getVolumeHistory,
    { ...pair, version: 'v2' },
    {},
    'POOL_NOT_FOUND',
    [{ field: 'version', found: found('v3') }],
  ],
  [
    'the id of a v2 pair, said to be of v3,',
    getVolumeHistory,
    { ...pairId, version: 'v3' },
    { isPair: true },
    'VALIDATION_FAILED',
    [{ field: 'version', accepted: 'v2' }],
  ],
  [
    'the id of a v2 pair',
    optimizeLpRange,
    { ...range, pool: pairId.pool },
    { isPair: true },
    'VALIDATION_FAILED',
    [{ field: 'pool', message: expect.stringContaining('no ranges') }],
  ],
  [
    'the id of a v2 pair',
    getTickData,
    pairId,
    { isPair: true },
    'VALIDATION_FAILED',
    [{ field: 'pool', message: expect.stringContaining('no ranges') }],
  ],
  [
    'no price',
    optimizeLpRange,
    range,
    { isUnpriced: true },
    'PRICE_UNAVAILABLE',
    [{ field: 'token0' }, { field: 'token1' }],
  ],
  [
    'no price',
    backtestLpStrategy,
    past,
    { isUnpriced: true },
    'PRICE_UNAVAILABLE',
    [{ field: 'token0' }, { field: 'token1' }],
  ],
  [
    'no priced volume',
    optimizeLpRange,
    { ...range, volatilitySource: 'implied' },
    { history: unpriced },
    'PRICE_UNAVAILABLE',
    [{ field: 'volatilitySource', accepted: 'historical' }],
  ],
  [
    'no liquidity',
    optimizeLpRange,
    { ...range, volatilitySource: 'implied' },
    { liquidity: 0n },
    'INSUFFICIENT_LIQUIDITY',
    [{ field: 'volatilitySource', accepted: 'historical' }],
  ],
  [
    'six known days',
    optimizeLpRange,
    range,
    { history: holey(14) },
    'INSUFFICIENT_HISTORY',
    [{ field: 'pool', daysFound: 6, daysNeeded: 7 }],
  ],
  [
    'a short period',
    backtestLpStrategy,
    { ...past, startTime: ago(13) },
    {},
    'INSUFFICIENT_HISTORY',
    [{ field: 'startTime', daysFound: 13, daysNeeded: 14 }],
  ],
  [
    'ten known days',
    backtestLpStrategy,
    past,
    { history: holey(10) },
    'INSUFFICIENT_HISTORY',
    [{ field: 'startTime', daysFound: 9.95, daysNeeded: 14, knownFrom: ago(20) }],
  ],
  ['too many paths', optimizeLpRange, range, { isLate: 'simulate' }, 'SIMULATION_TIMEOUT', [{ field: 'simulations' }]],
  [
    'too long a replay',
    backtestLpStrategy,
    past,
    { isLate: 'replay' },
    'SIMULATION_TIMEOUT',
    [{ field: 'startTime', bars: 480, strategies: 4 }],
  ],
]

test.each(rows.map((row) => [`${row[1].name} with ${row[0]}`, row] as const))(
  '%s says what to change',
  async (_, row) => {
    const [, tool, args, change, code, details] = row
    const refusal = await refusalOf(tool, { ...args }, worldWith(change))
    expect(refusal).toMatchObject({ code, details })
    for (const { field, message } of refusal.details) {
      expect(Object.keys(tool.input.shape)).toContain(field)
      expect(message).toMatch(/^[ -~]{10,}$/)
    }
  },
)

test('a v2 pair that is not there was looked for at no fee', async () => {
  const [refused, ofVersion3] = await Promise.all(
    (['v2', 'v3'] as const).map((version) =>
      refusalOf(getVolumeHistory, { ...pair, version, fee: 500 }, worldWith({ pools: () => [] })),
    ),
  )
  expect(refused!.details[0]).not.toHaveProperty('feesLookedFor')
  expect(ofVersion3!.details[0]).toHaveProperty('feesLookedFor')
})

test('an endpoint that tells no past leaves a backtest without days, and one that is late is to be asked again', async () => {
  const refuse = (reason: 'refused' | 'timeout') =>
    refusalOf(
      backtestLpStrategy,
      past,
      worldWith({
        history: () => {
          throw rpcFailure(new EndpointError(reason, 'no'), 'eth_getLogs', 8453)!
        },
      }),
    )
  expect(await refuse('refused')).toMatchObject({
    code: 'INSUFFICIENT_HISTORY',
    details: [{ daysFound: 0, daysNeeded: 14 }],
  })
  expect(await refuse('timeout')).toMatchObject({ code: 'RPC_TIMEOUT', retryable: true })
})

test('a failing endpoint, and a version that is not deployed, name what to change', () => {
  const refused = rpcFailure(new EndpointError('refused', 'too wide'), 'eth_getLogs', 8453)?.toJSON()
  expect(refused).toMatchObject({
    code: 'RPC_REFUSED',
    details: [
      {
        field: 'chain',
        message: 'eth_getLogs failed on chain 8453.',
        accepted: expect.stringContaining('SVC_RPC_URL_8453'),
      },
    ],
  })
  const base = worldWith({}).chains.get('base')
  const { v4: _v4, ...amm } = base.amm
  expect(() => requireDeployment({ ...base, amm }, 'v4')).toThrow(
    expect.objectContaining({
      code: 'VERSION_NOT_DEPLOYED',
      details: [expect.objectContaining({ field: 'version', accepted: ['v2', 'v3'] })],
    }),
  )
})

function worldWith({ pools, history, isUnpriced, isPair, isLate, ...market }: Change): WriteContext {
  const world = poolWorld({ decimals: [18, 6], tick: 0, step: 30, ...market })
  const { liquidity } = world
  const findPools: Ports['liquidity']['findPools'] = async (chain, a, b, versions = ['v2', 'v3', 'v4']) => {
    const all = await liquidity.findPools(chain, a, b)
    return (pools ?? (() => all))(all[0]!).filter(({ version }) => versions.includes(version))
  }
  const pool: Ports['liquidity']['pool'] = async (chain, { version }) => {
    const wrapped = world.tokens.wrapped(chain)
    const [only] = await liquidity.findPools(chain, wrapped, wrapped)
    if (isPair === true && version === 'v2') return asV2(only!)
    throw new ToolError('POOL_NOT_FOUND', 'No pool.')
  }
  return {
    ...world,
    liquidity: { ...liquidity, findPools, pool },
    history: { read: async (request) => (history ?? ((same) => same))(await world.history.read(request)) },
    ...(isUnpriced === true && {
      prices: { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const },
    }),
    workers: {
      run: async (kind, input, caller) => {
        if (kind === isLate) throw new ToolError('SIMULATION_TIMEOUT', 'It took too long.')
        return world.workers.run(kind, input, caller)
      },
    },
  }
}
