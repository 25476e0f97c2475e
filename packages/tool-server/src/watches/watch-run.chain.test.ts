import { useDevnet } from '@svc/devnet/testing'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { encodeFunctionData, maxUint256, parseEventLogs } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openStranger } from '../fair-value/attack-kit.fixture.ts'
import { pushTo } from '../fair-value/push-to.fixture.ts'
import { type Answer } from '../tools/answer.fixture.ts'
import { openWorld, owner, type World } from '../tools/chain-world.fixture.ts'
import { createWatchRun, type WatchRunOptions } from './watch-run.ts'

const devnet = useDevnet()
let world: World
let stranger: ChainActor
let price: number

beforeEach(async () => {
  world = await openWorld(devnet())
  stranger = await openStranger(devnet())
  price = devnet().market.prices().ETH
})
afterEach(() => world.close())

/** Looks at what is watched, a minute after the last look; and what it told whom. */
function openLooks(more: Partial<WatchRunOptions> = {}) {
  let at = Date.now()
  const told: string[] = []
  const lines: string[] = []
  const note = (event: string, facts?: unknown) => void lines.push(`${event} ${JSON.stringify(facts)}`)
  const run = createWatchRun({
    watches: world.store.watches,
    ports: world.ports,
    safety: (principal) => world.executor.safetyReport(principal),
    isInForce: () => true,
    hasWebhook: false,
    publish: (event) => void told.push(event.kind),
    everyMs: 60_000,
    signal: new AbortController().signal,
    now: () => at,
    log: { info: () => {}, warn: note },
    ...more,
  })
  return {
    lines,
    run,
    look: async (seconds = 60) => {
      at += seconds * 1_000
      await run()
      return told.splice(0)
    },
  }
}

const open = (args: Readonly<Record<string, unknown>> = {}): Promise<Answer> =>
  world.call('add_liquidity', {
    token0: 'WETH',
    token1: 'USDC',
    amount0: '3',
    fee: 500,
    rangeStrategy: 'narrow',
    version: 'v3',
    ...args,
  })

const watch = (opened: Answer, args: Readonly<Record<string, unknown>> = {}) =>
  world.call('watch_position', { positionId: opened.text('positionId'), version: 'v3', ...args })

const events = async (args: Readonly<Record<string, unknown>> = {}) =>
  (await world.call('list_watches', args)).list('events')

describe('what is watched on a chain', () => {
  test('tells once that a position left its range, also after a restart, and again after it came back', async () => {
    const opened = await open()
    await watch(opened)
    const { look } = openLooks()
    expect(await look()).toEqual([])
    await pushTo(world, stranger, price * 1.08, true)
    expect([await look(), await look()]).toEqual([['out_of_range'], []])
    const [event] = await events()
    const left = await world.call('get_position', { positionId: opened.text('positionId'), version: 'v3' })
    expect(left.at('inRange')).toBe(false)
    expect(event?.data).toMatchObject({
      kind: 'out_of_range',
      positionId: opened.text('positionId'),
      inRange: false,
      message: 'The price has left the range: the position earns no fees.',
      webhook: 'none',
      // What it would move into was not traded in within the last week.
      rebalance: {
        pays: false,
        paysBackDays: null,
        why: expect.stringMatching(/^Gas and swap cost about [\d.]+ USD, and/),
      },
    })
    expect(event?.number('rebalance.costUsd')).toBeGreaterThan(0)
    const restarted = openLooks()
    expect(await restarted.look()).toEqual([])
    await pushTo(world, stranger, price, false)
    expect(await restarted.look()).toEqual([])
    await pushTo(world, stranger, price * 1.08, true)
    expect(await restarted.look()).toEqual(['out_of_range'])
    expect(await events()).toHaveLength(2)
  })

  test('says that a rebalance pays where the new range earns back what it costs', async () => {
    const range = {
      rangeStrategy: undefined,
      priceLower: price * 0.7,
      priceUpper: price * 0.75,
      amount0: '0',
      amount1: '9000',
    }
    const opened = await open(range)
    await devnet().trade(60, 'earning')
    await watch(opened, { paysWithinDays: 365 })
    await watch(opened, { paysWithinDays: 1 })
    expect(await openLooks().look()).toEqual(['out_of_range', 'out_of_range'])
    const checks = (await events()).map((event) => event.at('rebalance') as Record<string, number | boolean>)
    const [ofADay, ofAYear] = checks
    expect(ofAYear?.['moreUsdPerDay']).toBeGreaterThan(0)
    expect(ofAYear?.['paysBackDays']).toBeCloseTo(Number(ofAYear?.['costUsd']) / Number(ofAYear?.['moreUsdPerDay']), 0)
    for (const [check, days] of [
      [ofADay, 1],
      [ofAYear, 365],
    ] as const)
      expect(check?.['pays']).toBe(Number(check?.['paysBackDays']) <= days)
  })

  test('tells of losses, of fees that wait and of limits by the figures of the chain and of this server', async () => {
    const opened = await open()
    await watch(opened, { outOfRange: false, ilPct: 0.05 })
    await watch(opened, { outOfRange: false, feesWaitingPct: 0.01 })
    await watch(opened, { outOfRange: false, limitPct: 1 })
    const { look } = openLooks()
    expect(await look()).toEqual(['limit'])
    for (const times of [1.03, 1]) await pushTo(world, stranger, price * times, times > 1)
    expect(await look()).toEqual(['fees_waiting'])
    await pushTo(world, stranger, price * 1.04, true)
    expect(await look()).toEqual(['il'])
    const [il, fees, limit] = await events()
    const position = await world.call('get_position', { positionId: opened.text('positionId'), version: 'v3' })
    const waitingPct = (100 * position.number('feesUsd')) / position.number('valueUsd')
    // Fees grew on the way up to where it stands now.
    expect(fees?.number('measured')).toBeGreaterThan(0.01)
    expect(fees?.number('measured')).toBeLessThan(waitingPct)
    expect(il?.number('measured')).toBeGreaterThan(0.05)
    const { limitsUsd, spentUsd } = await world.executor.safetyReport(owner)
    const share = (used: string, of: string) => (100 * Number(used)) / Number(of)
    const most = Math.max(share(spentUsd!.session, limitsUsd!.perSession), share(spentUsd!.daily, limitsUsd!.daily))
    expect(limit?.number('measured')).toBeCloseTo(most, 1)
    const performance = await world.call('get_position_performance', { positionId: opened.text('positionId') })
    const lossPct = (100 * Math.abs(performance.number('ilUsd'))) / performance.number('hodlUsd')
    expect(il?.number('measured')).toBeCloseTo(lossPct, 2)
  })

  test('ends with its position', async () => {
    const opened = await open()
    await watch(opened)
    const { look } = openLooks()
    await look()
    await world.call('remove_liquidity', { positionId: opened.text('positionId'), version: 'v3' })
    expect([await look(), await look()]).toEqual([['closed'], []])
    const listed = await world.call('list_watches')
    expect(listed.list('watches')[0]?.text('state')).toBe('ended')
    expect(listed.list('events')[0]?.at('rebalance')).toBeNull()
  })

  test('is left alone longer each time while its chain does not answer, and nothing is missed', async () => {
    const opened = await open()
    await watch(opened)
    const { look, lines } = openLooks()
    await look()
    await pushTo(world, stranger, price * 1.08, true)
    const { fetch } = world.network
    world.network.fetch = () => Promise.reject(new TypeError('down'))
    const asked = async () => {
      const before = world.network.requests
      await look()
      return world.network.requests > before
    }
    expect([await asked(), await asked(), await asked(), await asked()]).toEqual([true, true, false, true])
    expect(lines[0]).toMatch(/^watch\.unread .*"failures":1/)
    world.network.fetch = fetch
    const later = []
    for (let turn = 0; turn < 8; turn += 1) later.push(...(await look()))
    expect(later).toEqual(['out_of_range'])
  })

  test('ends where the key or token of who watches is not in force any more', async () => {
    await watch(await open())
    const { look, lines } = openLooks({ isInForce: ({ id }) => id !== owner.id })
    expect(await look()).toEqual([])
    expect(lines).toEqual([expect.stringMatching(/^watch\.dropped .*PRINCIPAL_REVOKED/)])
    expect((await world.call('list_watches')).list('watches')).toEqual([])
  })
})

/** A hundred positions of one stranger, in ranges of their own. */
async function hundredPositions(): Promise<readonly { readonly version: 'v3' | 'v4'; readonly positionId: string }[]> {
  const { v3 } = devnet().chain.amm
  const pool = devnet().pools.find(({ version, fee }) => version === 'v3' && fee === 500)!
  const { tick } = await world.ports.liquidity.pool(world.chain, { version: 'v3', id: pool.id })
  const [token0, token1] = [world.address('WETH'), world.address('USDC')].toSorted((a, b) =>
    BigInt(a) < BigInt(b) ? -1 : 1,
  )
  await stranger.approve(v3!.positionManager, token0!, token1!)
  const middle = Math.round(tick / 10) * 10
  const ids: string[] = []
  for (let batch = 0; batch < 12; batch += 1) {
    const mints = Array.from({ length: 8 }, (_, index) => {
      const half = 100 + 10 * (batch * 8 + index)
      const range = { tickLower: middle - half, tickUpper: middle + half }
      const amounts = { amount0Desired: 10n ** 9n, amount1Desired: 10n ** 15n, amount0Min: 0n, amount1Min: 0n }
      const params = { token0: token0!, token1: token1!, fee: 500, ...range, ...amounts }
      const to = { recipient: stranger.address, deadline: maxUint256 }
      return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'mint', args: [{ ...params, ...to }] })
    })
    const { logs } = await stranger.write(v3!.positionManager, v3PositionManagerAbi, 'multicall', [mints])
    const minted = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'IncreaseLiquidity', logs })
    ids.push(...minted.map(({ args }) => String(args.tokenId)))
  }
  const own = []
  for (let index = 0; index < 4; index += 1)
    own.push((await open({ version: 'v4', amount0: '0.01' })).text('positionId'))
  return [
    ...ids.map((positionId) => ({ version: 'v3' as const, positionId })),
    ...own.map((positionId) => ({ version: 'v4' as const, positionId })),
  ]
}

describe('the budget', () => {
  test('of a look at 100 positions of a chain is one request', { timeout: 240_000 }, async () => {
    const positions = await hundredPositions()
    expect(positions).toHaveLength(100)
    for (const one of positions) await world.call('watch_position', { ...one, feesWaitingPct: 90 })
    const { look } = openLooks()
    const asked = async () => {
      const before = world.network.requests
      expect(await look()).toEqual([])
      return world.network.requests - before
    }
    // The first look of a process finds out where each stands.
    expect(await asked()).toBeLessThanOrEqual(4)
    await devnet().trade(3)
    expect([await asked(), await asked()]).toEqual([1, 1])
    const { liquidity } = world.ports
    const read = await liquidity.positions(
      world.chain,
      await Promise.all(
        positions.map(async (one) => ({
          ...one,
          before: await liquidity.position(world.chain, one.version, one.positionId),
        })),
      ),
    )
    const some = positions.filter(({ version }, index) => index % 20 === 0 || version === 'v4')
    const alone = await Promise.all(
      some.map(({ version, positionId }) => liquidity.position(world.chain, version, positionId)),
    )
    expect(read).toHaveLength(100)
    expect(read).toEqual(expect.arrayContaining(alone))
  })
})
