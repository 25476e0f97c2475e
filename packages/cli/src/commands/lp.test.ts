import { barsFromRows } from '@svc/lp-math'
import { backtestAnswer } from '@svc/tool-server/analysis'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lp } from './word-commands.ts'
import { backtestCsv } from '../lp/csv/backtest-csv.ts'
import { csvCurves } from '../lp/backtest.ts'
import { callCommand } from '../calls.fixture.ts'
import { repository, runToEnd } from '../processes.fixture.ts'

const shipped = join(repository, 'examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv')
const ofChain = ['--chain', 'local']
const ofPair = [...ofChain, '--pair', 'WETH/USDC']
const ofPool = ['--fee', '500', '--decimals', '6,18', '--base', '1', '--pair', 'WETH/USDC']

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const svc = (...words: readonly string[]) => callCommand(['lp', ...words])

describe('svc lp backtest on the shipped minutes', () => {
  test('prints a table with error bars and what it rests on', async () => {
    const { code, stdout, stderr } = await runToEnd(['lp', 'backtest', shipped, ...ofPool, '--gas-usd', '0.02'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replaceAll(/ +/g, ' '))
      .toContain(`WETH/USDC, fee 0.05 %, 2023-08-13T00:01:00.000Z to 2023-08-18T00:00:00.000Z (5.00 days)
Price 1848.124 to 1683.67, -8.90 %. Half and half, held: 10000.00 to 9555.08 USD, -4.45 %.

strategy fees IL LVR swaps, gas moves end net vs held in range drawdown Sharpe
narrow 29.31 ± 0.41 -333.34 -17.30 -0.04 0 9258.92 -7.41 % -3.18 % 93.00 % -12.52 % -
medium 35.35 ± 0.56 -169.78 -49.82 -0.04 0 9447.64 -5.52 % -1.40 % 99.80 % -10.56 % -
wide 20.00 ± 0.17 -86.51 -28.05 -0.04 0 9541.47 -4.59 % -0.69 % 100.00 % -8.26 % -
full-range 2.40 ± 0.00 -10.36 -3.36 -0.04 0 9547.07 -4.53 % -0.08 % 100.00 % -7.36 % -

Best: full-range. Ended with 9547.07 USD: fees 2.40 USD (+/-0.0 %), IL 10.36 USD, gas 0.04 USD, swaps 0.00 USD, in range 100.0 % of the time. One past of 5 days, no forecast. The lead over wide, 5.60 USD, is more than what the fees of both may be off, 0.17 USD.`)
    expect(stdout).toContain('- 1 missing bar was taken to be without a trade.\n')
    expect(stdout).toContain('- One USDC is taken to be 1 USD (--quote-usd) throughout.\n')
  })

  test('answers JSON whose parts add up, with flags in any order and strategies of a file', async () => {
    const strategies = join(directory, 'strategies.json')
    writeFileSync(strategies, '[{"name":"tight","rangePct":2,"rebalanceThresholdPct":50}]')
    const words = ['--json', '--amount', '5000', 'backtest', shipped, ...ofPool, '--strategies', strategies]
    const { code, stdout } = await svc(...words.slice(3, 4), ...words.slice(0, 3), ...words.slice(4))
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    const [tight] = report.strategies
    expect(report).toMatchObject({ pair: 'WETH/USDC', chain: null, fee: 500, winner: { strategy: 'tight' } })
    expect(report).toMatchObject({ barsExpected: 7_200, barsFound: 7_199 })
    expect(tight).toMatchObject({ rangePct: 2, rebalanceThresholdPct: 50, rebalanceGasCostUsd: null, gasCostUsd: null })
    expect(tight.rebalanceCount).toBeGreaterThan(0)
    expect(tight.rebalances.length).toBe(tight.rebalanceCount)
    const { feesEarnedUsd, hodlMoveUsd, ilCostUsd, swapCostUsd, endValueUsd } = tight
    expect(feesEarnedUsd + hodlMoveUsd - ilCostUsd - swapCostUsd).toBeCloseTo(endValueUsd - 5000, 5)
  })
})

test('svc lp backtest of a file tells what the tool tells of a pool, member by member and in its order', async () => {
  const strategies = '[{"name":"thin","rangePct":0.15,"rebalanceThresholdPct":null}]'
  const { stdout } = await svc('backtest', shipped, ...ofPool, '--gas-usd', '2', '--json', '--strategies', strategies)
  const report = JSON.parse(stdout)
  const [thin] = report.strategies
  const { shape } = backtestAnswer
  const members = Object.keys(shape).filter(
    (name) => !['source', 'blockNumber', 'blockAgeSeconds', 'pool', 'isEstimate'].includes(name),
  )
  expect(Object.keys(report)).toEqual([...members, 'data'])
  expect(Object.keys(thin)).toEqual([...Object.keys(shape.strategies.element.shape), 'equity', 'rebalances'])
  expect(thin).toMatchObject({ rangePct: 0.15, rebalanceThresholdPct: null, rebalanceGasCostUsd: 0, gasCostUsd: 4 })
  expect(report.notes).toContain('Ranges of this pool lie on ticks 10 apart: "thin" is 0.2 % wide, not 0.15.')
})

test('svc lp backtest tells how much of the LVR goes to arbitrage at a pace of blocks', async () => {
  const shareAt = async (...flags: readonly string[]) => {
    const { stdout } = await svc('backtest', shipped, ...ofPool, ...flags)
    return Number(/about ([\d.]+) % of the LVR goes to arbitrage/.exec(stdout)?.[1])
  }
  const [slow, usual, fast] = [
    await shareAt('--block-seconds', '600'),
    await shareAt(),
    await shareAt('--block-seconds', '2'),
  ]
  expect([slow > usual, usual > fast, fast > 0]).toEqual([true, true, true])
  expect(await svc('backtest', ...ofPair, '--block-seconds', '2')).toMatchObject({ code: 2 })
})

describe.each([
  ['optimize', [shipped, '--fee', '500', '--simulations', '64']],
  ['backtest', [shipped, '--fee', '500']],
  ['fee-tier', [`500=${shipped}`]],
] as const)('svc lp %s of a file', (command, words) => {
  test('refuses decimals that make its price implausible, and says what to try', async () => {
    const { code, stdout, stderr } = await svc(command, ...words, '--decimals', '18,6', '--base', '1')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^svc lp: a price of 1\.68e-21 is not plausible\..* try --decimals 6,18, which makes it 1\.68e\+3 /,
    )
  })

  test('says first which price is meant where --base is left out', async () => {
    const said = '--base is left out: the price is that of token0, counted in token1; --base 1 turns it round.'
    const decimals = ['--decimals', '6,18']
    expect((await svc(command, ...words, ...decimals)).stdout.split('\n')[0]).toBe(said)
    expect(JSON.parse((await svc(command, ...words, ...decimals, '--json')).stdout).notes[0]).toBe(said)
    expect((await svc(command, ...words, ...decimals, '--base', '0')).stdout).not.toContain('--base is left out')
  })
})

describe('svc lp optimize on the shipped minutes', () => {
  const words = [shipped, ...ofPool, '--block-seconds', '2', '--simulations', '1024']

  test('prints ranges with error bars, what the simulation says and what all of it rests on', async () => {
    const { code, stdout, stderr } = await svc('optimize', ...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const said = stdout.replaceAll(/ +/g, ' ')
    expect(said).toContain('price 1683.67, volatility 75.3 ± 21.7 % a year (historical, 5d)')
    expect(said).toContain('\nchosen 1394.151 2034.533 80.1 % ± 10.5 16.86 % -5.17 % ± 2.28 62.95 % -46.08 % ± 30.92\n')
    expect(said).toContain('\nfull no end no end 100.0 % ± 0.0 1.90 % -0.58 % ± 0.33 7.07 % -5.17 % ± 4.15\n')
    expect(said).toContain('Simulation: 1024 paths, seed 1;')
    expect(said).toContain('- Fees are not expected to pay for LVR and gas in any range: the chosen one loses. ')
  })

  test('is the same for the same seed, and within four of its standard errors of the closed forms', async () => {
    const read = async (seed: string) => {
      const { stdout } = await svc('optimize', '--seed', seed, '--risk', 'aggressive', '--json', ...words)
      return { ...JSON.parse(stdout), timestamp: null }
    }
    const [first, again, other] = [await read('7'), await read('7'), await read('8')]
    expect(again).toEqual(first)
    expect(other.simulation.estimates).not.toEqual(first.simulation.estimates)
    expect(other.projections).toEqual(first.projections)
    expect(first.simulation.maxStandardErrorsOff).toBeLessThan(4)
    expect(first.projections.inRangeProbability).toBeCloseTo(0.6, 1)
    const { expectedFeeApr, lvrApr, gasApr, expectedNetApr } = first.projections
    expect(expectedFeeApr - lvrApr - gasApr).toBeCloseTo(expectedNetApr, 6)
    // As of the tool, in its order.
    expect(Object.keys(first).join(' ')).toBe(
      'pair chain fee currentPrice volatility optimalRange projections candidateRanges methodology timestamp sensitivity simulation barsExpected barsFound notes data',
    )
  })
})

test('svc lp fee-tier tells tiers by the rules of the tool, each net yield with its error, and how far that is known', async () => {
  const { stdout } = await svc('fee-tier', `500=${shipped}`, '--json', `3000=${shipped}`, ...ofPool.slice(2))
  const report = JSON.parse(stdout)
  expect(report.recommendation).toMatchObject({
    feeTier: 3000,
    confidence: 'LOW',
    reason: 'Under 7 days of trading are known of every pool; for this volatility 0.3 % is usual.',
    isLeadClear: null,
  })
  expect(report.analysis).toMatchObject({
    pairVolatility: { classification: 'MODERATE' },
    volumeDistribution: [
      { feeTier: 500, volumePct: 50, tvlUsd: null, feeApy7d: null, daysKnown: 5 },
      { feeTier: 3000, volumePct: 50 },
    ],
    competitiveLandscape: { otherDexVolumePct: null },
  })
  const [other, best] = report.analysis.volumeDistribution
  // The same trade at six times the fee, in a range that the wider tick spacing makes a little wider.
  expect(best.marginalFeeApr / other.marginalFeeApr).toBeGreaterThan(5.8)
  expect(best.marginalFeeApr / other.marginalFeeApr).toBeLessThan(6)
  expect(best.lvrApr / other.lvrApr).toBeCloseTo(1, 1)
  const alone = await svc('fee-tier', `500=${shipped}`, ...ofPool.slice(2))
  const said = alone.stdout.replaceAll(/ +/g, ' ')
  expect(said).toContain('WETH/USDC, volatility 75.3 ± 21.7 % a year (MODERATE). EWMA, 0.94 a day, of 5 days of ')
  expect(said).toContain('\n0.05 % 100.00 % 9.65 % ± 4.43 35.95 % 14.26 % -26.30 % ± 20.47 -256.62 to 13.34 % 0.00 %\n')
  expect(said).toContain('\nBest: 0.05 % (confidence LOW). Under 7 days of trading are known of every pool; ')
  expect(said).toContain('\n- Files tell no value locked: ')
  expect(said, 'explains its columns by their names, not by those of --json').not.toMatch(
    /marginalFeeApr|netApr|isLead/,
  )
  expect(said).toContain('"fee APR" is of a range of two deviations to each side')
})

describe('svc lp --svg', () => {
  const svg = () => join(directory, 'picture.svg')

  test('draws a choice of range: its ranges, its errors and its seed', async () => {
    const { code } = await svc('optimize', shipped, ...ofPool, '--seed', '5', '--svg', svg())
    expect(code).toBe(0)
    const drawn = readFileSync(svg(), 'utf8')
    for (const text of [
      'WETH/USDC on a file of bars',
      'in range 80 % (+/- 11) of 30 days',
      ', LVR 62.95 %,',
      '+/-25 %: ',
      '(seed 5)',
      'price until now',
      'fee 0.05 %: no range is expected to pay',
    ]) {
      expect(drawn).toContain(text)
    }
  })

  test('draws a backtest over all of its days, the first range as well, and says where it cannot write', async () => {
    const strategies = '[{"name":"a","rangePct":10,"rebalanceThresholdPct":null}]'
    await svc('backtest', shipped, ...ofPool, '--strategies', strategies, '--svg', svg())
    const drawn = readFileSync(svg(), 'utf8')
    for (const text of [
      'strategies replayed',
      'Net return: a -7.4',
      '7200 bars of 60 s',
      'the range of &quot;a&quot;',
    ]) {
      expect(drawn).toContain(text)
    }
    const nowhere = join(directory, 'none', 'picture.svg')
    await expect(lp(['backtest', shipped, ...ofPool, '--svg', nowhere], new Promise(() => {}))).rejects.toThrow(
      `${nowhere} cannot be written`,
    )
    const taken = join(directory, 'taken.svg')
    mkdirSync(taken)
    const { stdout, stderr } = await svc('backtest', shipped, ...ofPool, '--svg', taken)
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(`${taken} cannot be written`)])
    expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

test('a picture is drawn from as many points as the eye tells apart, the first range among them', () => {
  const row = { openTick: 0, lowTick: 0, highTick: 0, closeTick: 0, amount0In: 0, amount1In: 0, liquidity: 1 }
  const { bars } = barsFromRows(
    [
      { ...row, startsAt: 0 },
      { ...row, startsAt: 5_000 * 60 },
    ],
    60,
  )
  const terms = {
    pair: 'A/B',
    feePips: 500,
    tickSpacing: 10,
    protocolFeeShare: 0,
    gasUsd: 0,
    quoteUsd: 1,
    file: 'a.csv',
  }
  const pool = { ...terms, bars, decimals0: 18, decimals1: 18, baseToken: 0 as const, filledBars: 0, widenedBars: 0 }
  const strategies = [{ name: 'a', rangePct: 10, rebalanceThresholdPct: null }]
  const report = backtestCsv(pool, { amountUsd: 100, strategies, blockSeconds: 12, now: () => 0 })
  const { prices, hodl, strategies: curves } = csvCurves(pool, strategies, report)
  expect([prices.length, hodl.length, curves[0]?.equity.length]).toEqual([386, 386, 386])
  expect([prices[0]?.at, prices.at(-1)]).toEqual([60, { at: 5_001 * 60, price: 1 }])
  expect(curves[0]?.ranges).toEqual([{ at: 60, lower: expect.closeTo(0.95, 3), upper: expect.closeTo(1.05, 3) }])
  expect(report.timestamp).toBe('1970-01-01T00:00:00.000Z')
})

test('svc lp says what is wrong on stderr, with the exit code of a usage error or of a failure', async () => {
  expect(await svc('backtest', shipped)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc lp: a CSV file needs --fee, in millionths: 500 is 0.05 %\n',
  })
  expect(await svc('backtest', 'none.csv', ...ofPool)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'svc lp: none.csv does not exist: name a CSV file of bars.\n',
  })
})

describe('svc lp refuses', () => {
  test.each<[expected: string, ...words: string[]]>([
    ['svc lp takes optimize, backtest or fee-tier'],
    ['svc lp backtest takes one CSV file of bars', 'backtest', '--fee', '500'],
    ['a CSV file needs --decimals of its token0 and token1, such as 6,18', 'backtest', shipped, '--fee', '500'],
    ['a fee of 2500 has no tick spacing of its own', 'backtest', shipped, '--decimals', '6,18', '--fee', '2500'],
    ['--amount takes a number from 0.01 to 1000000000000, not "1e3"', 'backtest', shipped, '--amount', '1e3'],
    [
      '--strategies: strategies[0].rangePct: Accepted: a full width in percent above 0 and below 200',
      ...ofStrategies('[{"name":"a","rangePct":200,"rebalanceThresholdPct":null}]'),
    ],
    [
      '--strategies: strategies[0].range: Unknown member. Accepted: name, rangePct',
      ...ofStrategies('[{"name":"a","rangePct":2,"rebalanceThresholdPct":null,"range":1}]'),
    ],
    [
      '--strategies: strategies[1].name: Accepted: a name that no earlier strategy has',
      ...ofStrategies(
        '[{"name":"a","rangePct":2,"rebalanceThresholdPct":null},{"name":"a","rangePct":3,"rebalanceThresholdPct":null}]',
      ),
    ],
    ['--strategies: strategies: Accepted: JSON; ', ...ofStrategies('[{')],
    ['svc lp optimize takes one CSV file of bars', 'optimize', shipped, shipped],
    ['or --chain and with it --pair A/B or --pool ID', 'backtest', '--pair', 'WETH/USDC'],
    ['or --chain and with it --pair A/B or --pool ID', 'optimize', shipped, '--chain', 'local'],
    ['a chain needs --pair, such as WETH/USDC, or --pool', 'optimize', '--chain', 'local'],
    ['a chain needs --pair', 'optimize', '--chain', 'local', '--pair', 'WETH'],
    ['a pool needs --chain', 'optimize', '--pool', '0x1'],
    ['--fee has no place here: a pool has a fee of its own', 'optimize', ...ofChain, '--pool', '0x1', '--fee', '500'],
    ['--pair has no place here: a pool has a pair', 'backtest', ...ofChain, '--pool', '0x1', '--pair', 'WETH/USDC'],
    ['--base takes 0 or 1, not "2"', 'optimize', ...ofChain, '--pool', '0x1', '--base', '2'],
    ['--base has no place here: of --pair it is the first token', 'optimize', ...ofPair, '--base', '1'],
    ['--decimals has no place here: the chain tells', 'backtest', ...ofPair, '--decimals', '6,18'],
    ['--gas-usd has no place here: gas costs what', 'backtest', ...ofPair, '--gas-usd', '1'],
    ['--block-seconds has no place here', 'optimize', ...ofPair, '--block-seconds', '2'],
    ['--simulations takes a whole number from 64 to 50000', 'optimize', ...ofPair, '--simulations', '50001'],
    ['--fee takes millionths from 1 to 999999, or percent', 'optimize', ...ofPair, '--fee', '0.00001%'],
    ['--start has no place here: a file is replayed as a whole', 'backtest', shipped, '--start', '2023-08-13'],
    ['--data-dir has no place here: a file needs no', 'optimize', shipped, '--data-dir', '.svc'],
    ['--amount has no place here: the tiers of a pair', 'fee-tier', ...ofPair, '--amount', '5'],
    ['--fee has no place here: every fee of the pair', 'fee-tier', ...ofPair, '--fee', '500'],
    ['--risk takes conservative, moderate, aggressive, not "brave"', 'optimize', shipped, ...ofPool, '--risk', 'brave'],
    ['--simulations takes a whole number from 64 to', 'optimize', shipped, ...ofPool, '--simulations', '63'],
    ['a tier is written PIPS=FILE, such as 500=a.csv, not "a.csv"', 'fee-tier', 'a.csv'],
    ['takes each tier once with its CSV file', 'fee-tier', '500=a.csv', '0500=b.csv'],
    ['--fee has no place here: every tier is written with its fee', 'fee-tier', '500=a.csv', '--fee', '500'],
    ['BARS_FILE_INVALID: /', 'optimize', 'bars.csv', ...ofPool],
    [
      '--svg takes the name of a file that ends in .svg, not "bars.txt"',
      'optimize',
      'a',
      ...ofPool,
      '--svg',
      'bars.txt',
    ],
    ['--svg takes the name of a file that ends in .svg, not "a.csv"', 'backtest', ...ofPair, '--svg', 'a.csv'],
    ['bars.csv: line 3: closeTick is a plain number up to 2^128, not "x".', 'backtest', 'bars.csv', ...ofPool],
  ])('%s', async (expected, ...words) => {
    const header = 'startsAt,openTick,lowTick,highTick,closeTick,amount0In,amount1In,liquidity'
    const bars = join(directory, 'bars.csv')
    writeFileSync(bars, `${header}\n0,1,1,1,1,1,1,1\n60,1,1,1,x,1,1,1\n`)
    const call = words.map((word) => (word === 'bars.csv' ? bars : word))
    await expect(lp(call, new Promise(() => {}))).rejects.toThrow(expected)
  })
})

function ofStrategies(text: string): string[] {
  return ['backtest', shipped, '--strategies', text]
}
