import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lp } from './lp.ts'
import { program, repository, run } from '../processes.fixture.ts'

const shipped = join(repository, 'examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv')
const ofPool = ['--fee', '500', '--decimals', '6,18', '--base', '1', '--pair', 'WETH/USDC']

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function svc(...words: readonly string[]) {
  const command = run(process.execPath, [program, 'lp', ...words], { cwd: directory })
  const exitCode = await command.exited
  await command.end()
  return { exitCode, ...command.printed }
}

describe('svc lp backtest on the shipped minutes', () => {
  test('prints a table with error bars and what it rests on', async () => {
    const { exitCode, stdout, stderr } = await svc('backtest', shipped, ...ofPool, '--gas-usd', '0.02')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.replaceAll(/ +/g, ' '))
      .toContain(`WETH/USDC, fee 0.05 %, 2023-08-13T00:01:00.000Z to 2023-08-18T00:00:00.000Z (5.00 days)
Price 1848.124 to 1683.67, -8.90 %. Half and half, held: 10000.00 to 9555.08 USD, -4.45 %.

strategy fees IL LVR swaps, gas moves end net vs held in range drawdown Sharpe
narrow 29.31 ± 0.14 -333.34 -17.30 -0.04 0 9258.92 -7.41 % -3.18 % 93.00 % -12.52 % -
medium 35.35 ± 0.20 -169.78 -49.82 -0.04 0 9447.64 -5.52 % -1.40 % 99.80 % -10.56 % -
wide 20.00 ± 0.06 -86.51 -28.05 -0.04 0 9541.47 -4.59 % -0.69 % 100.00 % -8.26 % -
full-range 2.40 ± 0.00 -10.36 -3.36 -0.04 0 9547.07 -4.53 % -0.08 % 100.00 % -7.36 % -

Best: full-range.`)
    expect(stdout).toContain('- 1 missing bars were taken to be without a trade.\n')
    expect(stdout).toContain('- One quote token is 1 USD throughout.\n')
  })

  test('answers JSON whose parts add up, with flags in any order and strategies of a file', async () => {
    const strategies = join(directory, 'strategies.json')
    writeFileSync(strategies, '[{"name":"tight","rangePct":2,"rebalanceThresholdPct":50}]')
    const words = ['--json', '--amount', '5000', 'backtest', shipped, ...ofPool, '--strategies', strategies]
    const { exitCode, stdout } = await svc(...words.slice(3, 4), ...words.slice(0, 3), ...words.slice(4))
    expect(exitCode).toBe(0)
    const report = JSON.parse(stdout)
    const [tight] = report.strategies
    expect(report).toMatchObject({ pair: 'WETH/USDC', chain: null, fee: 500, winner: { strategy: 'tight' } })
    expect(tight.rebalanceCount).toBeGreaterThan(0)
    expect(tight.rebalances.length).toBe(tight.rebalanceCount)
    const { feesEarnedUsd, hodlMoveUsd, ilCostUsd, swapCostUsd, gasUsd, endValueUsd } = tight
    expect(feesEarnedUsd + hodlMoveUsd - ilCostUsd - swapCostUsd - gasUsd).toBeCloseTo(endValueUsd - 5000, 5)
  })
})

test('svc lp says what is wrong on stderr, with the exit code of a usage error or of a failure', async () => {
  expect(await svc('backtest', shipped)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'svc lp: a CSV file needs --fee, in millionths: 500 is 0.05 %\n',
  })
  expect(await svc('backtest', 'none.csv', ...ofPool)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'svc lp: none.csv does not exist: name a CSV file of bars.\n',
  })
})

describe('svc lp refuses', () => {
  test.each<[expected: string, ...words: string[]]>([
    ['svc lp takes backtest FILE'],
    ['svc lp backtest takes one CSV file of bars', 'backtest', '--fee', '500'],
    ['a CSV file needs --decimals of its token0 and token1, such as 6,18', 'backtest', shipped, '--fee', '500'],
    ['a fee of 2500 has no tick spacing of its own', 'backtest', shipped, '--decimals', '6,18', '--fee', '2500'],
    ['--amount takes a number from 0.01 to 1000000000000, not "1e3"', 'backtest', shipped, '--amount', '1e3'],
    [
      '--strategies: strategies[0].rangePct is a full width in percent above 0 and below 200',
      ...ofStrategies('[{"name":"a","rangePct":200,"rebalanceThresholdPct":null}]'),
    ],
    [
      '--strategies: strategies[0]: there is no member range',
      ...ofStrategies('[{"name":"a","rangePct":2,"rebalanceThresholdPct":null,"range":1}]'),
    ],
    [
      '--strategies: strategies[1].name is that of an earlier strategy',
      ...ofStrategies(
        '[{"name":"a","rangePct":2,"rebalanceThresholdPct":null},{"name":"a","rangePct":3,"rebalanceThresholdPct":null}]',
      ),
    ],
    ['--strategies is not JSON: ', ...ofStrategies('[{')],
    ['bars.csv: row 2: closeTick is a plain number, not "x".', 'backtest', 'bars.csv', ...ofPool],
  ])('%s', async (expected, ...words) => {
    const header = 'startsAt,openTick,lowTick,highTick,closeTick,amount0In,amount1In,liquidity'
    const bars = join(directory, 'bars.csv')
    writeFileSync(bars, `${header}\n0,1,1,1,1,1,1,1\n60,1,1,1,x,1,1,1\n`)
    await expect(lp(words.map((word) => (word === 'bars.csv' ? bars : word)))).rejects.toThrow(expected)
  })
})

function ofStrategies(text: string): string[] {
  return ['backtest', shipped, '--strategies', text]
}
