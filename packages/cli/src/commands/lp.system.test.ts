import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { useDevnet } from '@svc/devnet/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askTools } from '../lp/ask-tools.ts'
import { callCommand } from '../calls.fixture.ts'
import { goneAfter, program, run, type Run } from '../processes.fixture.ts'

const devnet = useDevnet({ history: true })
const timeout = 300_000

let directory: string
const opened: Run[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))
  writeFileSync(chains(), JSON.stringify([devnet().chain]))
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.end()
  rmSync(directory, { recursive: true, force: true })
})

const chains = () => join(directory, 'chains.json')
const pair = ['--chain', 'local', '--pair', 'WETH/USDC']

function start(words: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const command = run(process.execPath, [program, 'lp', ...words], { cwd: directory, env })
  opened.push(command)
  return command
}

const svc = (...words: readonly string[]) => callCommand(['lp', ...words], { SVC_CHAINS_FILE: chains() })

/** What a tool answers to a client that starts the server as the settings of a person would. */
async function answerOf(name: string, input: Record<string, unknown>) {
  const client = new Client({ name: 'test', version: '1' })
  const env = { SVC_CHAINS_FILE: chains() }
  const args = [program, 'serve', '--transport', 'stdio']
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: directory, stderr: 'ignore' }),
  )
  const { structuredContent } = await client.callTool({ name, arguments: { chain: 'local', ...input } })
  await client.close()
  return { ...(structuredContent as object), timestamp: null, blockAgeSeconds: null }
}

describe('svc lp on a pool of a chain', { timeout }, () => {
  test('answers what the tool does, leaves its picture, and writes nothing else', async () => {
    const picture = join(directory, 'range.svg')
    const words = [...pair, '--fee', '0.05%', '--amount', '2500', '--risk', 'aggressive', '--horizon-days', '7']
    const flags = ['--seed', '7', '--simulations', '256', '--json', '--svg', picture]
    const command = start(['optimize', ...words, ...flags], { SVC_CHAINS_FILE: chains() })
    const [code, reported] = await Promise.all([
      command.exited,
      answerOf('optimize_lp_range', {
        token0: 'WETH',
        token1: 'USDC',
        fee: 500,
        amount: '2500',
        riskTolerance: 'aggressive',
        horizonDays: 7,
        seed: 7,
        simulations: 256,
      }),
    ])
    expect(command.living()).toEqual([])
    const { stdout, stderr } = command.printed
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect({ ...JSON.parse(stdout), timestamp: null, blockAgeSeconds: null }).toEqual(reported)
    expect(readFileSync(picture, 'utf8')).toMatch(/^<svg [^]*WETH\/USDC/)
    expect(readdirSync(directory).toSorted()).toEqual(['chains.json', 'range.svg'])
  })

  test('finds the chain of a local world in its directory, and a pool by its id, in either order of its tokens', async () => {
    const world = join(directory, 'world')
    mkdirSync(world)
    writeFileSync(join(world, 'local-world.json'), `{"privateKey":"0x${'5a'.repeat(32)}"}\n`)
    writeFileSync(join(world, 'chains.json'), JSON.stringify([devnet().chain]))
    // Not the deepest of its fee.
    const { id, token0 } = devnet().pools.find(
      ({ version, label }) => version === 'v4' && label === 'WETH/USDC 0.05 %',
    )!
    const weth = devnet().tokens.find(({ symbol }) => symbol === 'WETH')!.address
    const base = token0 === weth ? '0' : '1'
    const command = start(['backtest', '--data-dir', world, '--chain', 'local', '--pool', id, '--base', base])
    expect(await command.exited).toBe(0)
    const said = command.printed.stdout.replaceAll(/ +/g, ' ')
    expect(said).toMatch(
      /^WETH\/USDC, pool 0x[\da-f]{64}, fee 0\.05 %, \S+ to \S+ \([23]\d\.\d+ days\)\nPrice [23]\d{3}\./,
    )
    expect(said).toContain(`, pool ${id}, `)
    expect(said).toMatch(/\nfull-range [\d.]+ ± [\d.]+ -[\d.]+ -[\d.]+ -[\d.]+ 0 [\d.]+ -?[\d.]+ % /)
    expect(said).toContain('\n- Gas is counted at ')
  })

  test('compares the tiers of the pair on a chain of a name of its own', async () => {
    writeFileSync(chains(), JSON.stringify([{ ...devnet().chain, name: 'mine', aliases: [] }]))
    const { code, stdout } = await svc('fee-tier', '--chain', 'mine', '--pair', 'WETH/USDC')
    expect(code).toBe(0)
    const said = stdout.replaceAll(/ +/g, ' ')
    expect(said).toMatch(/^WETH\/USDC, volatility [\d.]+ ± [\d.]+ % a year \(MODERATE\)\. EWMA, /)
    for (const tier of ['0.01 %', '0.05 %', '0.3 %', '1 %']) {
      expect(said).toContain(`\n${tier} `)
    }
    expect(said).toMatch(/\n0\.05 % [\d.]+ % [\d.]+ % ± [\d.]+ [\d.]+ % [\d.]+ % -?[\d.]+ % ± [\d.]+ /)
    expect(said).toMatch(/\nBest: [\d.]+ % \(confidence (HIGH|MODERATE|LOW)\)\. /)
  })
})

test('svc lp on a pool refuses as the tool does, and says the mend', { timeout }, async () => {
  const days5 = new Date(Date.now() - 5 * 86_400_000).toISOString()
  const { code, stdout, stderr } = await svc('backtest', ...pair, '--start', days5)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^svc lp: INSUFFICIENT_HISTORY: The period is \d[\d.]* days; 14 are needed\.\n {2}--start: Accepted: a time 14 days before the end\. daysFound \d[\d.]*, daysNeeded 14\.\n {2}Call again with a start at least 14 days before the end\./,
  )
})

test('svc lp on a v2 pair says that it has no ranges, and what has', { timeout }, async () => {
  const { id } = devnet().pools.find(({ version }) => version === 'v2')!
  const { code, stderr } = await svc('optimize', '--chain', 'local', '--pool', id)
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /: This is the v2 pair of \S+ and \S+: its liquidity has no ranges\.\n {2}--pool: Accepted: a v3 or v4 pool, which /,
  )
})

test('svc lp on a pool says what the server does not start with', { timeout }, async () => {
  const environment = { SVC_CHAINS_FILE: '/dev/null/nowhere' }
  const never = new Promise<never>(() => {})
  const asked = askTools({ environment, stopped: never, onProgress: () => {} }, () => never)
  await expect(asked).rejects.toThrow(/^CHAINS_FILE_INVALID \(SVC_CHAINS_FILE\): /)
})

test('Ctrl-C ends a call in the middle and the server with it', { timeout }, async () => {
  let requests = 0
  const silent = createServer(() => void (requests += 1)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  writeFileSync(chains(), JSON.stringify([{ ...devnet().chain, publicRpcUrls: [url] }]))
  try {
    const command = start(['fee-tier', ...pair], { SVC_CHAINS_FILE: chains() })
    await expect.poll(() => requests).toBeGreaterThan(0)
    expect(command.living().length).toBeGreaterThan(1)
    process.kill(command.session, 'SIGINT')
    await goneAfter(command)
    expect(await command.exited).toBe(130)
    expect(command.printed).toEqual({ stdout: '', stderr: '' })
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})
