// How often each read tool waits for its endpoint, behind 50 ms of latency: requests of which each begins when the one before it was
// answered, in a process that has just started (cold) and in one that has answered the tool before (warm). Beside it, without latency:
// what an answer out of what is kept costs, and the requests of a thousand positions of one owner and of a hundred that are watched.
import { startDevnet } from '@svc/devnet'
import { startRewardsApi } from '@svc/devnet/rewards-api'
import { startCountingProxy } from './parts/counting-proxy.mjs'
import { figure, median } from './parts/figure.mjs'
import { keptFigures } from './parts/reads-kept.mjs'
import { positionFigures } from './parts/reads-positions.mjs'
import { readsOf } from './parts/reads.mjs'
import { inSequence } from './parts/round-trips.mjs'
import { sized } from './parts/size.mjs'
import { callTool, startServer } from './write.mjs'

const latencyMs = 50
const warmRounds = sized(3)
const bars = { cold: 3, warm: 2 }
/** What reads the past of a pool for two weeks may wait once more. */
const longBars = { cold: 4, warm: 4 }
const long = new Set(['optimize_lp_range', 'backtest_lp_strategy'])

export async function run(report) {
  const closers = []
  try {
    const devnet = await startDevnet({ onProgress: report })
    closers.push(() => devnet.stop())
    const proxy = await startCountingProxy(devnet.rpcUrl, { latencyMs })
    closers.push(() => proxy.stop())
    const bare = await startCountingProxy(devnet.rpcUrl)
    closers.push(() => bare.stop())
    const rewards = await startRewardsApi({ devnet })
    closers.push(() => rewards.stop())
    const owner = await startServer(devnet, devnet.rpcUrl, closers)
    const reads = await readsOf({ devnet, call: (tool, input) => callTool(owner, tool, input) })
    owner.stop()
    const figures = await keptFigures({ devnet, proxy: bare, closers, report })
    for (const [tool, input] of sized(reads, reads.slice(0, 2))) {
      const seen = await measure({ devnet, proxy, closers, rewards, key: owner.privateKey }, tool, input)
      report(explain(tool, seen))
      figures.push(...figuresOf(tool, seen))
    }
    figures.push(...(await positionFigures({ devnet, proxy: bare, closers, report })))
    return figures
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** One call in a new process, then some more in it, each after a block of others. */
async function measure({ devnet, proxy, closers, rewards, key }, tool, input) {
  const settings = { SVC_REWARDS_URL: rewards.url }
  const server = await startServer(devnet, proxy.url, closers, { key, settings })
  const calls = []
  for (let round = 0; round <= warmRounds; round += 1) {
    await devnet.trade(1, round)
    proxy.take()
    const begin = performance.now()
    await callTool(server, tool, input)
    calls.push({ ms: performance.now() - begin, trips: proxy.take() })
  }
  server.stop()
  const [cold, ...warm] = calls
  return { cold, warm }
}

function figuresOf(tool, { cold, warm }) {
  const bar = long.has(tool) ? longBars : bars
  const reference = (calls) =>
    `${latencyMs} ms latency, ${Math.round(median(calls.map(({ ms }) => ms)))} ms, ${median(calls.map(({ trips }) => trips.length))} requests`
  const waits = (calls) => median(calls.map(({ trips }) => inSequence(trips)))
  return [
    figure({
      name: `${tool}: waits, cold`,
      value: waits([cold]),
      unit: 'count',
      reference: reference([cold]),
      bar: bar.cold,
    }),
    figure({
      name: `${tool}: waits, warm`,
      value: waits(warm),
      unit: 'count',
      reference: reference(warm),
      bar: bar.warm,
    }),
  ]
}

function explain(tool, { cold, warm }) {
  const text = (when, { trips, ms }) => {
    const [first] = trips
    const since = (at) => Math.round(at - first.from)
    const lines = trips.map(({ from, to, methods }) => `  ${since(from)}-${since(to)} ${counted(methods)}`)
    return [`${tool}, ${when}: ${inSequence(trips)} in sequence of ${trips.length}, ${Math.round(ms)} ms`, ...lines]
  }
  return [...text('cold', cold), ...text('warm', warm.at(-1))].join('\n')
}

function counted(methods) {
  const counts = new Map()
  for (const method of methods) counts.set(method, (counts.get(method) ?? 0) + 1)
  return [...counts].map(([method, count]) => (count === 1 ? method : `${method} x${count}`)).join(' ')
}
