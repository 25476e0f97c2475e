import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { parseEther } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'
import { type Answer, poolTokens } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

type Priced = { readonly pool: { readonly token1: string }; readonly currentPrice: number }

async function open(version: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const pair = { token0: 'WETH', token1: 'USDC', amount0: '3', fee: 500, rangeStrategy: 'narrow', version }
  return world.call('add_liquidity', { ...pair, ...args })
}

describe('rebalance_position', () => {
  test.each(['v3', 'v4'])('moves a %s position in one transaction, wei for wei as it says', async (version) => {
    const opened = await open(version)
    const positionId = opened.text('positionId')
    const tokens = poolTokens(opened)
    const before = await Promise.all(tokens.map((token) => world.balance(token)))
    const answer = await world.call('rebalance_position', { positionId, version, swapToRatio: false })
    const after = await Promise.all(tokens.map((token) => world.balance(token)))
    const first = answer.text('token0Symbol') === 'USDC' ? 6 : 18
    const digits = [first, first === 6 ? 18 : 6]
    for (const index of [0, 1] as const) {
      const received = Number(answer.text(`closedPosition.amount${index}Received`))
      const deposited = Number(answer.text(`newPosition.amount${index}Deposited`))
      const left = Number(after[index]! - before[index]!) / 10 ** digits[index]!
      expect(left).toBeGreaterThanOrEqual(0)
      expect(received - deposited).toBeCloseTo(left, 6)
    }
    expect(answer.text('closedPosition.txHash')).toBe(answer.text('newPosition.txHash'))
    const closed = await world.call('get_position', { positionId, version })
    expect(closed.at('isClosed')).toBe(true)
    const moved = await world.call('get_position', { positionId: answer.text('newPosition.positionId'), version })
    expect(moved.number('priceLower')).toBe(answer.number('newPosition.priceLower'))
    expect(moved.at('inRange')).toBe(true)
    expect(answer.number('totalGasCostUsd')).toBe(answer.number('gasCostUsd'))
    expect(answer.at('notes')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The new range would earn about .* USD a day .*, the old one about [\d.]+\.$/),
        // A wider range of the same pool earns less.
        expect.stringMatching(/^The move raises no income: it is about [\d.]+ USD a day less\.$/),
        expect.stringMatching(/never earned back/),
      ]),
    )
  })

  test.each([
    ['v3', 'WETH'],
    ['v4', 'WETH'],
    ['v4', 'ETH'],
  ])('closes, swaps and opens a %s position of %s whose new range lies elsewhere', async (version, symbol) => {
    const opened = await open(version, { token0: symbol })
    const price = opened.number('currentPrice')
    const range = { token0: symbol, priceLower: price * 0.8, priceUpper: price * 1.02 }
    const args = { positionId: opened.text('positionId'), version, ...range }
    const planned = await world.call('rebalance_position', { ...args, dryRun: true })
    // Before it is done as well as after: what it costs against what it earns, and that there is a way in one transaction.
    const said = [
      expect.stringMatching(/^Close, swap and open are transactions of their own here.*batch_lp_operations/),
      expect.stringMatching(
        /^Gas and swap cost [\d.]+ USD: never earned back, for the new range earns (?:no more|[\d.]+ USD a day less)\.$/,
      ),
    ]
    expect(planned.at('plan.warnings')).toEqual(expect.arrayContaining(said))
    const before = await world.balance('USDC')
    const answer = await world.call('rebalance_position', args)
    expect(answer.at('notes')).toEqual(expect.arrayContaining(said))
    expect(answer.text('atomicity')).toBe('sequential')
    const left = new RegExp(
      `^What the new range does not take is in the wallet: (.*and )?([\\d.]+) USDC(?: and .*)?, worth about [\\d.]+ USD\\.$`,
    )
    const [, , usdc] = (answer.at('notes') as string[]).flatMap((note) => left.exec(note) ?? [])
    expect(Number(usdc)).toBeCloseTo(Number((await world.balance('USDC')) - before) / 1e6, 2)
    expect(answer.text('token0Symbol')).toBe(symbol)
    expect(answer.text('closedPosition.txHash')).not.toBe(answer.text('newPosition.txHash'))
    expect(answer.number('newPosition.priceLower') / (price * 0.8)).toBeCloseTo(1, 2)
    const moved = await world.call('get_position', { positionId: answer.text('newPosition.positionId'), version })
    expect(moved.number('valueUsd')).toBeGreaterThan(3 * 3000 * 1.8)
  })

  test.each(['v3', 'v4'])('moves a %s position of 100,000 USD under the default limits', async (version) => {
    await world.close()
    const limits = { perTransaction: '300000', perSession: '300000', daily: '300000' }
    const allowlist = { mode: 'lenient' } as const
    world = await openWorld(devnet(), {
      policy: { limitsUsd: limits, approvalThresholdUsd: null, allowlist },
      funds: { WETH: '20', USDC: '100000' },
    })
    const opened = await open(version, { amount0: '17' })
    const { privateKey } = world.again
    await world.close()
    const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
    world = await openWorld(devnet(), { again: { dataDir, privateKey }, policy: { allowlist } })
    const args = { positionId: opened.text('positionId'), version, swapToRatio: false, rangeStrategy: 'medium' }
    const planned = await world.call('rebalance_position', { ...args, dryRun: true })
    expect(planned.at('plan.policy.refusals')).toEqual([])
    expect(planned.at('plan.policy.conditions')).toEqual([])
    expect(Number(planned.text('plan.spendUsd'))).toBeLessThan(1)
    expect(Number(planned.text('plan.values.leavesUsd'))).toBeGreaterThan(99_000)
    const answer = await world.call('rebalance_position', args)
    expect(answer.text('status')).toBe('success')
    // What is not paid by a position is a spend.
    const elsewhere = { token0: 'WETH', token1: 'USDC', amount0: '1', fee: 500, rangeStrategy: 'medium', version }
    expect(await world.refuse('add_liquidity', elsewhere)).toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
  })

  test('counts what is swapped on the way, also once it is mined', async () => {
    const opened = await open('v3')
    const price = opened.number('currentPrice')
    const range = { token0: 'WETH', priceLower: price * 0.8, priceUpper: price * 1.02 }
    const before = await world.call('check_safety_status')
    const planned = await world.call('rebalance_position', {
      positionId: opened.text('positionId'),
      ...range,
      dryRun: true,
    })
    const [leavesUsd, worstUsd] = ['leavesUsd', 'arrivesAtWorstUsd'].map((name) =>
      Number(planned.text(`plan.values.${name}`)),
    )
    expect(worstUsd).toBeGreaterThan(leavesUsd! * 0.9)
    expect(worstUsd).toBeLessThanOrEqual(Number(planned.text('plan.values.arrivesUsd')))
    const spendUsd = Number(planned.text('plan.spendUsd'))
    expect(spendUsd).toBeGreaterThan(2_000)
    expect(spendUsd).toBeLessThan(12_000)
    await world.call('execute_plan', { planId: planned.text('plan.planId') })
    const after = await world.call('check_safety_status')
    const used = (status: Answer) => Number(status.text('spentUsd.daily'))
    expect(used(after) - used(before)).toBeGreaterThan(spendUsd * 0.95)
  })

  test('refuses prices of the other order of tokens, by itself and in a batch, with those that were meant', async () => {
    const opened = await open('v3')
    const positionId = opened.text('positionId')
    // Without token0 prices follow the pool, whose first token is here USDC, there WETH.
    const { pool, currentPrice } = (await world.call('get_position', { positionId })).data as Priced
    const [priceLower, priceUpper] = [0.9 / currentPrice, 1.1 / currentPrice]
    const inverted = {
      code: 'VALIDATION_FAILED',
      details: [
        {
          field: expect.stringMatching(/priceLower$/),
          message: expect.stringMatching(/these prices are of one token1 in token0/),
          accepted: expect.stringMatching(
            new RegExp(
              `^token1 per token0, as priceLower [\\d.]+ and priceUpper [\\d.]+; or these with token0 ${pool.token1}$`,
            ),
          ),
        },
      ],
    }
    expect(await world.refuse('rebalance_position', { positionId, priceLower, priceUpper })).toMatchObject(inverted)
    const operations = [{ type: 'rebalance', positionId, params: { priceLower, priceUpper } }]
    expect(await world.refuse('batch_lp_operations', { operations })).toMatchObject(inverted)
    // The advice is taken as it stands.
    const moved = { positionId, token0: pool.token1, priceLower, priceUpper, dryRun: true }
    expect((await world.call('rebalance_position', moved)).text('status')).toBe('planned')
  })

  test('says before and after how much of a narrow position a wider range leaves in the wallet, and what adds it', async () => {
    const opened = await open('v3')
    const price = opened.number('currentPrice')
    const narrow = { token0: 'WETH', priceLower: price * 0.985, priceUpper: price * 1.02 }
    const first = await world.call('rebalance_position', { positionId: opened.text('positionId'), ...narrow })
    const positionId = first.text('newPosition.positionId')
    const args = { positionId, token0: 'WETH', priceLower: price * 0.95, priceUpper: price * 1.04 }
    const said =
      /^About (\d+) % of what the position pays, (\d+) USD, stays in the wallet: kept back .* increase_liquidity adds/
    const planned = await world.call('rebalance_position', { ...args, dryRun: true })
    const warnings = planned.at('plan.warnings') as string[]
    const [, pct, restUsd] = warnings.flatMap((warning) => said.exec(warning) ?? [])
    expect(Number(pct)).toBeGreaterThan(1)
    const answer = await world.call('rebalance_position', args)
    const notes = answer.at('notes') as string[]
    expect(notes.filter((note) => said.test(note))).toHaveLength(1)
    const [, leftUsd] = notes.flatMap((note) => /is in the wallet: .*, worth about ([\d.]+) USD/.exec(note) ?? [])
    expect(Math.abs(Number(leftUsd) / Number(restUsd) - 1)).toBeLessThan(0.1)
  })

  test('moves native currency in turn that the wallet holds in the position alone, up to what its close brings at least', async () => {
    const opened = await open('v4', { token0: 'ETH', amount0: '1', rangeStrategy: 'wide' })
    const price = opened.number('currentPrice')
    const range = { token0: 'ETH', priceLower: price * 0.7, priceUpper: price * 1.1 }
    const args = { positionId: opened.text('positionId'), version: 'v4', ...range }
    const node = testClient(devnet())
    await node.setBalance({ address: world.wallet, value: parseEther('0.001') })
    expect(await world.refuse('rebalance_position', args)).toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
    await node.setBalance({ address: world.wallet, value: parseEther('0.1') })
    const moved = await world.call('rebalance_position', args)
    expect(moved.text('atomicity')).toBe('sequential')
    expect(Number(moved.text('newPosition.amount0Deposited'))).toBeGreaterThan(0.2)
  })

  test('says of a range beside the price, before and after, that it earns nothing', async () => {
    const opened = await open('v3')
    const price = opened.number('currentPrice')
    const range = { token0: 'WETH', priceLower: price * 1.1, priceUpper: price * 1.2 }
    const args = { positionId: opened.text('positionId'), ...range }
    const outside = 'The price lies outside of the range: the position earns nothing until it comes in.'
    expect((await world.call('rebalance_position', { ...args, dryRun: true })).at('plan.warnings')).toContain(outside)
    expect((await world.call('rebalance_position', args)).at('notes')).toContain(outside)
  })

  test('refuses prices in the wrong order, and a position that is closed', async () => {
    const opened = await open('v3')
    const positionId = opened.text('positionId')
    const refusal = await world.refuse('rebalance_position', { positionId, priceLower: 3_000 })
    expect(refusal.code).toBe('VALIDATION_FAILED')
    await world.call('remove_liquidity', { positionId })
    expect(await world.refuse('rebalance_position', { positionId })).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/closed/),
    })
  })
})
