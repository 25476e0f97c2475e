// How long optimize_lp_range takes on the local chain, and what five of them with all their simulations do to the calls beside them:
// the production server as a process of its own, asked over HTTP. What the machine does besides hits both sides of the ratio.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { bundle } from '../../scripts/bundle.mjs'
import { figure, median } from './figure.mjs'
import { post } from './load.mjs'
import { modernHeaders, modernMessage } from './mcp-messages.mjs'
import { spawnServer } from './spawned-server.mjs'
import { sized } from './size.mjs'

const cheap = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }
/** Those of the first figure are all of the first pool. */
const heavyPools = [
  { token0: 'WETH', token1: 'USDC', fee: 500 },
  { token0: 'WETH', token1: 'USDC', fee: 3_000 },
  { token0: 'WETH', token1: 'USDC', fee: 100 },
  { token0: 'WBTC', token1: 'WETH', fee: 3_000 },
  { token0: 'DAI', token1: 'WETH', fee: 3_000 },
]
/** The first ones, in which both sides still warm up, do not count. */
const [warmUps, rounds] = sized([4, 20], [1, 1])
const quietMs = 400

export async function measureTool(report) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const devnet = await startDevnet({ onProgress: report })
  let server
  try {
    server = await startOn(devnet, dataDir)
    const ask = asking(server, dataDir)
    const [pool] = heavyPools
    const optimize = (place, seed, simulations) => ({
      name: 'optimize_lp_range',
      arguments: { ...place, chain: String(devnet.chainId), amount: '1000', seed, simulations },
    })
    await ask(optimize(pool, 1, 5_000))
    const alone = []
    for (let seed = 2; seed < sized(12, 4); seed += 1) alone.push(await timed(() => ask(optimize(pool, seed, 5_000))))
    const heavy = (places) => Promise.all(places.map((place, seed) => ask(optimize(place, seed, sized(50_000, 500)))))
    const beside = {
      quiet: () => sleep(quietMs),
      onePool: () => heavy(heavyPools.map(() => pool)),
      fivePools: () => heavy(heavyPools),
      computing: () => computeElsewhere(quietMs),
    }
    const seen = { quiet: [], onePool: [], fivePools: [], computing: [] }
    for (let round = 0; round < warmUps + rounds; round += 1) {
      for (const [name, something] of Object.entries(beside)) {
        const found = await latencies(ask, something())
        if (round >= warmUps) seen[name].push(...found)
      }
    }
    report(
      `cheap calls, p99: ${p99(seen.quiet).toFixed(2)} ms quiet, ${p99(seen.onePool).toFixed(2)} ms beside five simulations`,
    )
    return [
      figure({
        name: 'optimize_lp_range on the local chain',
        value: median(alone) / 1_000,
        unit: 's',
        reference: `median of ${alone.length}`,
        bar: 1,
      }),
      figure({
        name: 'p99 of a cheap tool beside 5 x 50,000 simulations',
        value: p99(seen.onePool) / p99(seen.quiet),
        unit: 'ratio',
        reference: `its quiet p99, ${p99(seen.quiet).toFixed(1)} ms`,
        bar: 2,
      }),
      figure({
        name: 'the same where the five are of five pools',
        value: p99(seen.fivePools) / p99(seen.quiet),
        unit: 'ratio',
        reference: 'the same',
      }),
      figure({
        name: 'the same beside a process that only computes, at the lowest priority',
        value: p99(seen.computing) / p99(seen.quiet),
        unit: 'ratio',
        reference: 'what this machine does to it by itself',
      }),
    ]
  } finally {
    await server?.stop()
    await devnet.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function startOn(devnet, dataDir) {
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet.chain]))
  const policy = { rateLimits: { unauthenticatedPerIp: 1_000_000, perIp: 1_000_000, perToken: 1_000_000 } }
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const file = await bundle(join(dataDir, 'svc-server.mjs'))
  const env = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'warn',
    [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
  }
  return spawnServer([file, '--transport', 'http'], { env })
}

function asking({ port }, dataDir) {
  const [, key] = /SVC_API_KEY_READ=(\S+)/.exec(readFileSync(join(dataDir, '.env'), 'utf8'))
  let id = 0
  return async (params) => {
    const headers = { ...modernHeaders('tools/call', params), authorization: `Bearer ${key}` }
    const { status, text } = await post(undefined, port, headers, modernMessage((id += 1), 'tools/call', params))
    if (status !== 200 || text.includes('"isError":true')) throw new Error(`${status} ${text.slice(0, 300)}`)
  }
}

/** Another process, which holds one core for so long. */
async function computeElsewhere(ms) {
  const program = `os.setPriority(os.constants.priority.PRIORITY_LOW); for (const end = Date.now() + ${ms}; Date.now() < end;);`
  await once(spawn(process.execPath, ['-e', program], { stdio: 'ignore' }), 'exit')
}

/**
 * Of cheap calls one after the other, for as long as something else lasts. Whoever asks waits for each answer, so that one long stall is
 * one late call: a share of calls, not of time.
 */
async function latencies(ask, something) {
  const state = { isOver: false }
  const ended = something.finally(() => (state.isOver = true))
  const found = []
  while (!state.isOver) found.push(await timed(() => ask(cheap)))
  await ended
  return found
}

async function timed(work) {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

function p99(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(0.99 * values.length)]
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
