// How often a write waits for its endpoint, behind 50 ms of latency: requests of which each begins when the one before it was answered.
import { startDevnet } from '@svc/devnet'
import { callTool, startServer } from '../write.mjs'
import { inSequence, startCountingProxy, withoutWaiting } from './counting-proxy.mjs'
import { figure, median } from './figure.mjs'
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
    done.push({
      name: `${version} ${tool}`,
      result,
      ms: performance.now() - begin,
      trips: withoutWaiting(proxy.take()),
    })
    return result
  }
  const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'medium' }
  const opened = await call('add_liquidity', { version, token0: 'WETH', token1: 'USDC', amount0: '0.3', ...range })
  const position = { version, positionId: opened.positionId }
  const earn = () => devnet.trade(4, 3, [opened.pool.poolAddress])
  if (version !== 'v2') {
    await call('increase_liquidity', { ...position, token0: 'WETH', amount0: '0.1' })
    await earn()
    await call('collect_fees', position)
    await earn()
    await call('compound_fees', { ...position, swapToRatio: false })
    const moved = await call('rebalance_position', { ...position, rangeStrategy: 'wide', swapToRatio: false })
    position.positionId = moved.newPosition.positionId
  }
  await call('remove_liquidity', position)
  await call('execute_swap', { version, tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1' })
  return done
}

function beyond({ trips, result }) {
  return inSequence(trips) - result.transactions.length
}

function explain(call) {
  const { name, trips, ms } = call
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
      value: median(calls.map(beyond)),
      unit: 'count',
      reference,
      bar,
    }),
    figure({ name: `${name}: time`, value: median(calls.map(({ ms }) => ms)), unit: 'ms', reference }),
  ]
}
