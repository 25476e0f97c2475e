// HTTP requests to the chain, and time, of a write through the server, against the bare viem way of sending the same
// transactions. Both go through one counting proxy and batch what they can; every round does both.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { devnetPolicy } from '@svc/engine'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { openBareWriter } from './parts/bare-writer.mjs'
import { startChildServer } from './parts/child-server.mjs'
import { startCountingProxy } from './parts/counting-proxy.mjs'
import { figure, median } from './parts/figure.mjs'
import { legacyHeaders, legacyMessage, openSession } from './parts/mcp-messages.mjs'
import { post } from './parts/load.mjs'
import { withoutWaiting } from './parts/round-trips.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(5)
const addedBar = 6
const funds = { ETH: '100', WETH: '50', USDC: '250000' }
const writes = {
  add_liquidity: { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '0.1', rangeStrategy: 'medium', version: 'v3' },
  execute_swap: { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', version: 'v3' },
}

export async function run(report) {
  const closers = []
  try {
    const devnet = await startDevnet({ onProgress: report })
    closers.push(() => devnet.stop())
    const proxy = await startCountingProxy(devnet.rpcUrl)
    closers.push(() => proxy.stop())
    const server = await startServer(devnet, proxy.url, closers)
    const key = generatePrivateKey()
    await devnet.fund(privateKeyToAddress(key), funds)
    const bare = await openBareWriter({ rpcUrl: proxy.url, privateKey: key, devnet })
    const figures = []
    for (const [tool, input] of Object.entries(writes)) {
      const seen = { first: 0, call: [], pipeline: [], callMs: [], bare: [], bareMs: [] }
      for (let round = 0; round <= rounds; round += 1) {
        const ours = await timed(proxy, () => callTool(server, tool, { ...input, chain: String(devnet.chainId) }))
        const theirs = await timed(proxy, () => bare[tool]())
        if (round === 0) {
          seen.first = ours.trips.length - theirs.trips.length
          server.takeSteps()
          continue
        }
        seen.call.push(ours.trips.length)
        seen.pipeline.push(ofPipeline(ours.trips, server.takeSteps()).length)
        seen.callMs.push(ours.ms)
        seen.bare.push(theirs.trips.length)
        seen.bareMs.push(theirs.ms)
        if (round === rounds) explain(report, ours.trips, theirs.trips)
      }
      figures.push(...describe(tool, seen))
    }
    return figures
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** The requests of a call, and how long it took. */
async function timed(proxy, work) {
  proxy.take()
  const begin = performance.now()
  const value = await work()
  return { value, ms: performance.now() - begin, trips: withoutWaiting(proxy.take()) }
}

/** The server in a process of its own over that endpoint, with a wallet that has funds: a new one, or that of `key`; `settings` beside ours. */
export async function startServer(devnet, rpcUrl, closers, { key, settings: more, execArgv } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const privateKey = key ?? generatePrivateKey()
  if (key === undefined) await devnet.fund(privateKeyToAddress(privateKey), funds)
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet.chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policyOf(devnet)), { mode: 0o600 })
  const settings = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    PRIVATE_KEY: privateKey,
    LOG_LEVEL: 'debug',
    [`SVC_RPC_URL_${devnet.chainId}`]: rpcUrl,
    ...more,
  }
  const steps = []
  const child = await startChildServer('./write-server.mjs', {
    env: { SETTINGS: JSON.stringify(settings) },
    execArgv,
    onLine: (line) => {
      const { event, time, ms } = JSON.parse(line)
      if (event === 'road.step') steps.push({ from: time - ms, to: time })
    },
  })
  closers.push(() => child.stop())
  const headers = await openSession(child.port, { ...legacyHeaders, authorization: `Bearer ${child.key}` })
  const { port } = child
  const liveHeap = () => child.liveHeap()
  const cpuMicros = () => child.cpuMicros()
  return { port, headers, privateKey, liveHeap, cpuMicros, takeSteps: () => steps.splice(0), stop: () => child.stop() }
}

function policyOf({ chainId, twamm, vaults }) {
  return devnetPolicy({
    twammHooks: { [chainId]: [{ hook: twamm.hook, pools: [twamm.pool.id] }] },
    vaults: { [chainId]: vaults.map(({ address }) => address) },
  })
}

export async function callTool({ port, headers }, name, input) {
  const { status, text } = await post(
    undefined,
    port,
    headers,
    legacyMessage(1, 'tools/call', { name, arguments: input }),
  )
  const { result } = JSON.parse(text)
  if (status !== 200 || result?.isError !== undefined) throw new Error(`${name}: ${status} ${text.slice(0, 1_000)}`)
  return result.structuredContent
}

/** The requests between the first step of the pipeline and the end of its last. */
function ofPipeline(trips, steps) {
  const from = Math.floor(Math.min(...steps.map((step) => step.from)))
  const to = Math.ceil(Math.max(...steps.map((step) => step.to)))
  return trips.filter(({ at }) => at >= from && at <= to)
}

function explain(report, ours, theirs) {
  const text = (trips) => trips.map(({ methods }, index) => `  ${index + 1}. ${methods.join(' ')}`).join('\n')
  report(`through the server:\n${text(ours)}\nbare viem:\n${text(theirs)}`)
}

function describe(tool, seen) {
  const bare = median(seen.bare)
  const reference = `bare viem, ${bare} requests in ${Math.round(median(seen.bareMs))} ms`
  const counted = (name, value, bar) => figure({ name: `${tool}: ${name}`, value, unit: 'requests', reference, bar })
  return [
    counted('whole call beyond bare viem', median(seen.call) - bare, addedBar),
    counted('pipeline alone beyond bare viem', median(seen.pipeline) - bare),
    counted("process's first call beyond bare viem", seen.first),
    counted('whole call', median(seen.call)),
    counted('pipeline alone', median(seen.pipeline)),
    figure({
      name: `${tool}: time of the call`,
      value: median(seen.callMs) / median(seen.bareMs),
      unit: 'x',
      reference,
    }),
  ]
}
