import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { program, repository, run } from '../processes.fixture.ts'
import { optimize } from './optimize.ts'

const shipped = join(repository, 'examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv')
const ofPool = ['--fee', '500', '--decimals', '6,18', '--base', '1']
const steering = '\u001B[2J\u009B31m\u202E'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function svc(...words: readonly string[]) {
  const command = run(process.execPath, [program, 'lp', ...words], { cwd: directory })
  const exitCode = await command.exited
  await command.end()
  return { exitCode, said: command.printed.stdout + command.printed.stderr }
}

test('words that would steer a terminal are escaped, in tables, in JSON and in what is refused', async () => {
  const member = join(directory, 'member.json')
  writeFileSync(member, JSON.stringify([{ name: 'a', rangePct: 10, rebalanceThresholdPct: null, [steering]: 1 }]))
  const pair = ['--pair', `${steering}/B`]
  const reported = await Promise.all([
    svc('backtest', shipped, ...ofPool, ...pair),
    svc('backtest', shipped, ...ofPool, ...pair, '--json'),
    svc('backtest', shipped, ...ofPool, '--strategies', member),
    svc('optimize', shipped, ...ofPool, '--risk', steering),
    svc('optimize', shipped, ...ofPool, '--amount', steering),
    svc('optimize', join(directory, `${steering}.csv`), ...ofPool),
  ])
  expect(reported.map(({ exitCode }) => exitCode)).toEqual([0, 0, 2, 2, 2, 1])
  for (const { said } of reported) {
    expect(said).toContain('\\u001b[2J')
    expect(said).not.toMatch(/(?!\n)[\p{C}]/u)
  }
})

test('a pipe in the place of a file is refused, and not waited for', async () => {
  const pipe = join(directory, 'pipe.csv')
  execFileSync('mkfifo', [pipe])
  const { exitCode, said } = await svc('optimize', pipe, ...ofPool)
  expect(exitCode).toBe(1)
  expect(said).toContain('pipe.csv is no plain file: name a CSV file of bars.')
})

test('a long simulation ends for whoever wants it to', async () => {
  const stopped = new Promise((resolve) => void setImmediate(resolve))
  expect(await optimize([shipped, ...ofPool, '--simulations', '200000'], stopped)).toBe(130)
})
