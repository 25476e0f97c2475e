// How often a write waits for its endpoint, behind 50 ms of latency: requests of which each begins when the one before it was answered.
import { startDevnet } from '@svc/devnet'
import { callTool, startServer } from '../write.mjs'
import { startCountingProxy } from './counting-proxy.mjs'
import { figure, median } from './figure.mjs'
import { beyondOneEach, inSequence, liveAsPosition, withoutWaiting } from './round-trips.mjs'
import { sized } from './size.mjs'

const latencyMs = 50
const bar = 6
const rounds = sized(3)

export async function measureLatency(report) {
  const closers = []
  try {
    const devnet = await startDevnet()
    closers.push(() => devnet.stop())
    const proxy = await startCountingProxy(devnet.rpcUrl, { latencyMs })
    closers.push(() => proxy.stop())
    const server = await startServer(devnet, proxy.url, closers)
    const seen = new Map()
    for (let round = 0; round <= rounds; round += 1) {
      for (const version of versions) {
        // The first of a process looks up what later ones remember.
        for (const one of await lifeOf({ devnet, proxy, server }, version)) {
          if (round === 0 && !sized(false, true)) continue
          seen.set(one.name, [...(seen.get(one.name) ?? []), one])
          if (round === rounds) report(explain(one))
        }
      }
    }
    return [...seen].flatMap(([name, calls]) => figuresOf(name, calls))
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

const versions = sized(['v2', 'v3', 'v4'], ['v3'])

/** The writes of a position's life, each with what it took. */
async function lifeOf({ devnet, proxy, server }, version) {
  const done = []
  const chain = String(devnet.chainId)
  const call = async (tool, input) => {
    proxy.take()
    const begin = performance.now()
    const result = await callTool(server, tool, { ...input, chain })
    done.push({ name: `${version} ${tool}`, result, ms: performance.now() - begin, trips: proxy.take() })
    return result
  }
  await liveAsPosition(version, { call, earn: (pool) => devnet.trade(4, 3, [pool]) })
  return done
}

function explain(call) {
  const { name, ms } = call
  const trips = withoutWaiting(call.trips)
  const lines = trips.map(
    ({ from, to, methods }) =>
      `  ${Math.round(from - trips[0].from)}-${Math.round(to - trips[0].from)} ${methods.join(' ')}`,
  )
  return [`${name}: ${inSequence(trips)} in sequence of ${trips.length}, ${Math.round(ms)} ms`, ...lines].join('\n')
}

function figuresOf(name, calls) {
  const sent = calls[0].result.transactions.length
  const reference = `${sent} transactions, ${latencyMs} ms latency`
  return [
    figure({
      name: `${name}: round trips beyond one each`,
      value: median(calls.map(({ trips, result }) => beyondOneEach(trips, result.transactions))),
      unit: 'count',
      reference,
      bar,
    }),
    figure({ name: `${name}: time`, value: median(calls.map(({ ms }) => ms)), unit: 'ms', reference }),
  ]
}
