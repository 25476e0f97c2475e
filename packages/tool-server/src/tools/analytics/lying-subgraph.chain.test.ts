import { startSubgraph, type Subgraph } from '@svc/devnet/subgraph'
import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let subgraph: Subgraph
let world: World
let honest: { readonly backtest: Answer; readonly optimize: Answer }

type Row = Record<string, string | number>

/** What becomes of the hours that the subgraph gives, oldest first, on their way. */
let lie: (rows: Row[]) => Row[]

type Meta = { block: { number: number; timestamp: number } }
/** Which of the periods that are left is held against the chain, besides those that claim most: the first ones, unless told otherwise. */
let picked = 0

/** What becomes of the block that it says it is of. */
let lieOfBlock: (meta: Meta) => void

beforeAll(async () => {
  subgraph = await startSubgraph({ devnet: devnet() })
  const twisted: typeof fetch = async (input, init) => {
    const said = (await (await fetch(input, init)).json()) as { data?: { periods?: Row[]; _meta?: Meta } }
    if (said.data?.periods !== undefined) said.data.periods = lie(said.data.periods)
    if (said.data?._meta !== undefined) lieOfBlock(said.data._meta)
    return Response.json(said)
  }
  world = await openWorld(devnet(), {
    isClockHeld: true,
    chain: { subgraphs: subgraph.urls },
    subgraphs: { fetch: twisted },
    checks: { pickInt: (below) => Math.min(picked, below - 1), rememberMs: 0 },
  })
  lie = (rows) => rows
  lieOfBlock = () => undefined
  honest = { backtest: await backtest(), optimize: await optimize() }
})
beforeEach(() => {
  lie = (rows) => rows
  lieOfBlock = () => undefined
  picked = 0
})
afterAll(async () => {
  await world.close()
  await subgraph.stop()
})

const isoAgo = (days: number) => world.isoAgo(days * 86_400)
const pair = { token0: 'WETH', token1: 'USDC', fee: 500 }
const backtest = () => world.call('backtest_lp_strategy', { ...pair, amount: '10000', startTime: isoAgo(20) })
const optimize = () => world.call('optimize_lp_range', { ...pair, amount: '10000', simulations: 256 })

/** The same change to a few hours in the middle. */
const someHours = (change: Row) => (rows: Row[]) =>
  rows.map((row, index) => (index >= 200 && index < 205 ? { ...row, ...change } : row))

describe('hours that a subgraph tells wrong', () => {
  test.each<readonly [string, Row]>([
    ['a volume below zero', { volume0: '-5' }],
    ['no price', { price: '0' }],
    ['a price that no pool can have', { price: `1${'0'.repeat(150)}` }],
    ['a liquidity that no pool can have', { liquidity: `1${'0'.repeat(100)}` }],
  ])('%s: are left out, and each answer says so', async (_label, change) => {
    lie = someHours(change)
    const [replayed, chosen] = [await backtest(), await optimize()]
    for (const answer of [replayed, chosen]) {
      expect(answer.data).toMatchObject({ source: 'subgraph', isEstimate: true })
      expect(answer.at('notes')).toContainEqual(expect.stringContaining('5 periods with absurd figures were left out'))
    }
    expect(replayed.text('winner.caveat')).toContain('Trades of the period are missing.')
    const end = (answer: typeof replayed) => answer.list('strategies')[3]!.number('endValueUsd')
    expect(end(replayed) / end(honest.backtest)).toBeCloseTo(1, 2)
    const sigma = (answer: typeof chosen) => answer.number('volatility.annualized')
    expect(sigma(chosen) / sigma(honest.optimize)).toBeCloseTo(1, 0)
  })

  test.each<readonly [string, Row]>([
    ['beyond measure', { volumeUsd: `9${'0'.repeat(190)}`, tvlUsd: '-1' }],
    ['none, as for tokens that it does not trust', { volumeUsd: '0' }],
  ])('in dollars alone, %s: count by the trade in tokens', async (_label, change) => {
    lie = (rows) => rows.map((row, index) => (index % 2 === 0 ? { ...row, ...change } : row))
    const answer = await optimize()
    const apr = (of: Answer) => of.number('projections.expectedFeeApr')
    expect(answer.at('source')).toBe('subgraph')
    expect(apr(answer) / apr(honest.optimize)).toBeCloseTo(1, 9)
  })

  test.each<readonly [string, (rows: Row[]) => Row[]]>([
    [
      'of another pool',
      (rows) => rows.map((row) => ({ ...row, price: '17.5', open: '17.5', high: '17.9', low: '17.1' })),
    ],
    [
      'the other way round',
      (rows) => rows.map((row) => ({ ...row, volume0: row['volume1']!, volume1: row['volume0']! })),
    ],
    ['without liquidity', (rows) => rows.map((row) => ({ ...row, liquidity: '0' }))],
  ])('%s throughout: the swap logs are read in their place', async (_label, change) => {
    lie = change
    const answer = await optimize()
    expect(answer.at('source')).toBe('rpc')
    expect(answer.at('notes')).toContainEqual(expect.stringContaining('reported figures that no pool can have'))
  })

  test.each<readonly [string, (rows: Row[]) => Row[], RegExp]>([
    ['that end early', (rows) => rows.slice(0, -48), /lacks the last trades of the pool/],
    ['of which there are none', () => [], /lacks the last trades of the pool/],
    [
      'that end at another price',
      (rows) =>
        rows.map((row, at) => (at < rows.length - 1 ? row : { ...row, price: String(Number(row['price']) * 3) })),
      // The first is said where the local chain traded in this hour or the one before, as the minute of the start has it.
      /tells another price than the pool has|lacks the last trades of the pool/,
    ],
  ])('%s: the swap logs are read in their place', async (_label, change, says) => {
    lie = change
    const answer = await optimize()
    expect(answer.at('source')).toBe('rpc')
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(says))
  })

  test.each<readonly [string, (meta: Meta) => void]>([
    ['by its time', (meta) => (meta.block.timestamp += 3_600)],
    ['by its number', (meta) => (meta.block.number += 1_000_000)],
  ])('of a block ahead of the chain %s: the swap logs are read in their place', async (_label, change) => {
    lieOfBlock = change
    const answer = await optimize()
    expect(answer.at('source')).toBe('rpc')
    expect(answer.at('notes')).toContainEqual(expect.stringContaining('is ahead of its chain'))
  })

  test('in a form that is none: the swap logs are read in their place', async () => {
    lie = someHours({ volume0: 'NaN' })
    const answer = await backtest()
    expect(answer.at('source')).toBe('rpc')
    expect(answer.at('notes')).toContainEqual(expect.stringContaining('answered in a form that it never had'))
  })
})

/** The same factor on what is told of the trade of some hours. */
const scaled = (factor: number, isIn: (index: number) => boolean) => (rows: Row[]) =>
  rows.map((row, index) => {
    if (!isIn(index)) return row
    const members = ['volume0', 'volume1', 'volumeUsd'].map((key) => [key, String(Number(row[key]) * factor)])
    return { ...row, ...Object.fromEntries(members) }
  })
const aDay = (index: number) => index >= 200 && index < 224

describe('hours that a subgraph tells wrong as a pool could have had them', () => {
  test.each<readonly [string, (rows: Row[]) => Row[]]>([
    ['a day of ten times the trade', scaled(10, aDay)],
    [
      'a day of a tenth of the liquidity',
      (rows) => rows.map((row, at) => (aDay(at) ? { ...row, liquidity: String(Number(row['liquidity']) / 10) } : row)),
    ],
    [
      'an hour of a wild price',
      (rows) => rows.map((row, at) => (at === 200 ? { ...row, high: String(Number(row['high']) * 1.5) } : row)),
    ],
  ])('%s: claim most, and are found by it', async (_label, change) => {
    lie = change
    const answer = await optimize()
    expect(answer.at('source')).toBe('rpc')
    expect(answer.at('notes')).toContainEqual(
      expect.stringMatching(
        /^The subgraph tells another hour from 20\S+Z on than the pool logged: this is out of swap/,
      ),
    )
  })

  test('of a tenth of the trade, or none: are found where chance falls on them', async () => {
    const long = (index: number) => index >= 200 && index < 400
    for (const change of [scaled(0.1, long), (rows: Row[]) => rows.filter((_, index) => !long(index))]) {
      lie = change
      // Some clock hours hold no block of the local chain, so the slots run ahead of the rows.
      picked = 320
      expect((await optimize()).at('source')).toBe('rpc')
    }
  })
})

describe('hours that a subgraph does not tell', () => {
  test('are gaps: quiet in a backtest, and no days of prices', async () => {
    // So few that fourteen days are left: up to a quarter of the clock hours hold no block of the local chain as it is.
    lie = (rows) => rows.filter((_, index) => index % 96 !== 9)
    expect((await backtest()).text('winner.caveat')).toMatch(/\d+ hours without data were taken to be quiet/)
    lie = (rows) => rows.filter((_, index) => index < 100 || index >= 400)
    const holed = await optimize()
    expect(holed.at('notes')).toContainEqual(
      expect.stringMatching(/nothing of [345]\d\d bars: they were taken to be without/),
    )
    expect(holed.number('barsFound')).toBeLessThanOrEqual(holed.number('barsExpected') - 300)
    const sigmaOf = (answer: Answer) => answer.number('volatility.annualized')
    expect(Math.abs(sigmaOf(holed) / sigmaOf(honest.optimize) - 1)).toBeLessThan(0.15)
    lie = (rows) => rows.filter((_, index) => index < 8 || index % 6 === 0 || index > rows.length - 3)
    const refused = await world.refuse('backtest_lp_strategy', { ...pair, amount: '1', startTime: isoAgo(20) })
    expect(refused).toMatchObject({ code: 'INSUFFICIENT_HISTORY', details: [{ daysNeeded: 14 }] })
    const choice = await world.refuse('optimize_lp_range', { ...pair, amount: '1' })
    expect(choice).toMatchObject({ code: 'INSUFFICIENT_HISTORY', details: [{ daysNeeded: 7 }] })
    const days = [refused, choice].map(({ details }) => (details[0] as unknown as { daysFound: number }).daysFound)
    expect(Math.max(...days)).toBeLessThan(7)
  })

  test('or tells without a trade, are counted', async () => {
    const still = { volume0: '0', volume1: '0', volumeUsd: '0', feesUsd: '0', trades: '0' }
    const quieten = (row: Row): Row => ({ ...row, ...still, high: row['price']!, low: row['price']! })
    lie = (rows) => rows.map((row, index) => (index >= 100 && index < 200 ? quieten(row) : row))
    const answer = await backtest()
    // A hundred rows are up to 125 hours: some clock hours of the local chain hold no block, and so no row.
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^[345] days were without a trade\.$/))
    expect(answer.list('strategies').every((one) => one.number('feesEarnedUsd') > 0)).toBe(true)
  })
})
