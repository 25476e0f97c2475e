import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi, type TradingTrick, tradingTricks } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World

beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
})
afterEach(async () => {
  api.setFaults([])
  await world.close()
})
afterAll(async () => {
  await api.stop()
})

/** A world with the trading API, whose client pauses for no time at all. */
async function open(change: { readonly apiKey?: string; readonly timeoutMs?: number } = {}): Promise<void> {
  const { apiKey = api.apiKey, timeoutMs = 60_000 } = change
  const tradingApi = { apiKey: new Secret(apiKey), url: api.url, timeoutMs, sleep: async () => {} }
  world = await openWorld(devnet(), { tradingApi })
}

async function position([version, token0, token1, amount0, fee]: Pair) {
  const range = { rangeStrategy: 'narrow', version, fee }
  const opened = await world.call('add_liquidity', { token0, token1, amount0, ...range })
  return { positionId: opened.text('positionId'), version, pool: opened.text('pool.poolAddress') as `0x${string}` }
}

type Pair = readonly [version: 'v3' | 'v4', token0: string, token1: string, amount0: string, fee: number]

const built = 'The calls were built by the trading API and checked here.'

/** Both orders of the caller, the wrapped native token on either side of the pool, and native currency. */
const pairs: readonly Pair[] = [
  ['v3', 'WETH', 'USDC', '3', 500],
  ['v3', 'USDC', 'WETH', '9000', 3000],
  ['v3', 'WBTC', 'WETH', '0.1', 500],
  ['v3', 'DAI', 'WETH', '6000', 3000],
  ['v4', 'WETH', 'USDC', '3', 500],
  ['v4', 'USDC', 'WETH', '9000', 500],
  ['v4', 'ETH', 'USDC', '3', 500],
  ['v4', 'USDC', 'ETH', '9000', 500],
]

describe('collect_fees by the trading API', () => {
  test.each(pairs)('%s %s/%s: collects to the wei what it collects without it', async (...pair) => {
    await open()
    const [one, other] = [await position(pair), await position(pair)]
    await devnet().trade(20, 3, [one.pool])
    const asked = api.asked().length
    api.setFaults([{ fault: { status: 500 } }])
    const own = await world.call('collect_fees', { positionId: one.positionId, version: one.version })
    api.setFaults([])
    const waiting = await world.call('get_position', { positionId: other.positionId, version: other.version })
    const theirs = await world.call('collect_fees', { positionId: other.positionId, version: other.version })
    expect(theirs.at('feesCollected')).toEqual(own.at('feesCollected'))
    expect(theirs.text('feesCollected.amount0')).toBe(waiting.text('feesOwed0'))
    expect(theirs.text('feesCollected.amount1')).toBe(waiting.text('feesOwed1'))
    expect(theirs.number('feesCollected.totalUsd')).toBeGreaterThan(0)
    expect(own.list('notes').map(({ data }) => data)).toEqual([
      'The trading API answered with status 500; the calls were built here instead.',
    ])
    expect(theirs.list('notes').map(({ data }) => data)).toEqual([built])
    expect(api.asked().length - asked).toBe(2)
    const left = await world.call('get_position', { positionId: other.positionId, version: other.version })
    expect([left.text('feesOwed0'), left.text('feesOwed1')]).toEqual(['0', '0'])
    expect(left.text('liquidityRaw')).toBe(waiting.text('liquidityRaw'))
  })

  test.each(['v3', 'v4'] as const)('a plan that it built for %s is carried out as it was shown', async (version) => {
    await open()
    const { positionId, pool } = await position([version, 'WETH', 'USDC', '3', 500])
    await devnet().trade(20, 3, [pool])
    const plan = await world.call('collect_fees', { positionId, version, dryRun: true })
    const done = await world.call('execute_plan', { planId: plan.text('plan.planId') })
    expect([done.text('status'), done.list('notes').map(({ data }) => data)]).toEqual(['success', [built]])
  })
})

describe('remove_liquidity by the trading API', () => {
  test.each(pairs)('%s %s/%s: a third, then all, to the wei what is removed without it', async (...pair) => {
    await open()
    const [one, other] = [await position(pair), await position(pair)]
    await devnet().trade(20, 3, [one.pool])
    for (const percentage of [33.3, 100]) {
      const remove = ({ positionId, version }: typeof one) =>
        world.call('remove_liquidity', { positionId, version, percentage, slippageBps: 80 })
      api.setFaults([{ fault: { status: 500 } }])
      const own = await remove(one)
      api.setFaults([])
      const theirs = await remove(other)
      expect(theirs.list('notes').map(({ data }) => data)).toContain(built)
      expect(own.list('notes').map(({ data }) => data)).not.toContain(built)
      for (const member of ['amount0Received', 'amount1Received', 'feesCollected']) {
        expect([member, theirs.at(member)]).toEqual([member, own.at(member)])
      }
      const left = [one, other].map(({ positionId, version }) => world.call('get_position', { positionId, version }))
      const [byUs, byThem] = await Promise.all(left)
      expect(byThem?.text('liquidityRaw')).toBe(byUs?.text('liquidityRaw'))
    }
  })

  test('what it does not offer is built here: without fees, without a least amount, of v2', async () => {
    await open()
    const { positionId } = await position(['v3', 'WETH', 'USDC', '3', 500])
    const before = api.asked().length
    await world.call('remove_liquidity', { positionId, version: 'v3', percentage: 10, collectFees: false })
    await world.call('remove_liquidity', { positionId, version: 'v3', percentage: 10, slippageBps: 10_000 })
    expect(api.asked().length).toBe(before)
  })

  test('a plan is carried out by its own limits, built by whoever can hold them', async () => {
    await open()
    const { positionId, pool } = await position(['v3', 'WETH', 'USDC', '3', 500])
    const plan = await world.call('remove_liquidity', { positionId, version: 'v3', percentage: 50, dryRun: true })
    await devnet().trade(6, 3, [pool])
    const done = await world.call('execute_plan', { planId: plan.text('plan.planId') })
    expect(done.text('status')).toBe('success')
  })
})

describe('a trading API in trouble is no obstacle: the calls are built here, and the notes say so', () => {
  test('it is down, or limits, or does not take the key', async () => {
    await open()
    const { positionId, pool } = await position(['v4', 'WETH', 'USDC', '3', 500])
    const notesAt = async (status: number, seed: number) => {
      await devnet().trade(6, seed, [pool])
      api.setFaults([{ fault: { status } }])
      const before = api.asked().length
      const answer = await world.call('collect_fees', { positionId, version: 'v4' })
      return [answer.list('notes').map(({ data }) => data), api.asked().length - before]
    }
    const note = (status: number) => [
      `The trading API answered with status ${status}; the calls were built here instead.`,
    ]
    expect(await notesAt(429, 1)).toEqual([note(429), 3])
    expect(await notesAt(500, 2)).toEqual([note(500), 1])
    expect(await notesAt(504, 3)).toEqual([note(504), 3])
    const wrongKey =
      'The trading API does not take the key; the calls were built here instead. SVC_TRADING_API_KEY is to be corrected.'
    expect(await notesAt(401, 4)).toEqual([[wrongKey], 1])
    expect(await notesAt(503, 5)).toEqual([note(503), 3])
    const resting =
      'The trading API has failed repeatedly and is not asked for a while; the calls were built here instead.'
    expect(await notesAt(500, 6)).toEqual([[resting], 0])
  })

  test('it never answers', async () => {
    await open({ timeoutMs: 50 })
    const { positionId, pool } = await position(['v3', 'WETH', 'USDC', '3', 500])
    await devnet().trade(20, 3, [pool])
    api.setFaults([{ fault: 'silent' }])
    const answer = await world.call('collect_fees', { positionId, version: 'v3' })
    expect(answer.list('notes').map(({ data }) => data)).toEqual([
      expect.stringMatching(/^The trading API did not answer \(\w+\); the calls were built here instead\.$/),
    ])
  })
})

test.each([
  ['v3', 'collect_fees', {}, 'UNSAFE_TRANSACTION', 'Less would arrive than the call declares.'],
  ['v4', 'collect_fees', {}, 'SIMULATION_FAILED', 'would fail'],
  ['v3', 'remove_liquidity', { percentage: 40 }, 'SIMULATION_FAILED', 'would fail'],
  ['v4', 'remove_liquidity', { percentage: 40 }, 'SIMULATION_FAILED', 'would fail'],
] as const)(
  'G6: %s %s, no transaction that is not what was asked for is signed, and the next honest one is',
  async (version, tool, how, staleCode, staleMessage) => {
    await open()
    const { positionId, pool } = await position([version, 'WETH', 'USDC', '3', 500])
    await devnet().trade(20, 3, [pool])
    const nonce = await world.client.getTransactionCount({ address: world.wallet })
    const refusals: Readonly<Record<TradingTrick, string>> = { ...byGuard, stale: staleMessage }
    for (const trick of tradingTricks) {
      api.setFaults([{ fault: trick }])
      const { code, message } = await world.refuse(tool, { positionId, version, ...how })
      expect([trick, code]).toEqual([trick, trick === 'stale' ? staleCode : 'UNSAFE_TRANSACTION'])
      expect(message).toContain(refusals[trick])
      expect(await world.store.journal.byNonce(world.chain.id, world.wallet, nonce)).toEqual([])
    }
    api.setFaults([])
    const honest = await world.call(tool, { positionId, version, ...how })
    expect(honest.list('notes').map(({ data }) => data)).toContain(built)
  },
)

/** What is old shows in the simulation alone: in a claim of v3 more waits than it pays, elsewhere its time is over. */
const byGuard: Readonly<Record<Exclude<TradingTrick, 'stale'>, string>> = {
  'wrong-from': 'it is sent by somebody else',
  'foreign-to': 'it goes to a contract that is not known for this',
  'foreign-recipient': 'it pays somebody other than the wallet',
  'extra-approval': 'it holds a function 0x095ea7b3 that is not known here',
  'inflated-value': 'it sends more native currency than was asked for',
  'other-chain': 'it is for another chain',
  truncated: 'that is not known here',
}
