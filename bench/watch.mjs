// What figures and traces cost: CPU of a fast call of the product with them over the same product without. What else a machine does adds to
// CPU time and never takes from it, so of many short turns, to and fro, those that were disturbed least are compared. Two processes of one
// program differ by a few hundredths all the same, so there are several sets of them, and a second server without anything says how far
// apart equals are measured.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { startChildServer } from './parts/child-server.mjs'
import { figure, median, quantile } from './parts/figure.mjs'
import { drive } from './parts/load.mjs'
import { modernHeaders, modernMessage } from './parts/mcp-messages.mjs'
import { sized } from './parts/size.mjs'

const sets = sized(7)
const turns = sized(40, 2)
const calls = sized(200, 20)
/** Few, for to open a connection costs as well. */
const inFlight = 4
const warmUpCalls = sized(4_000, 20)
const method = 'tools/call'
const params = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }
const figuresBar = 1.03

export async function run(report) {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const settings = {
    plain: {},
    again: {},
    figures: { SVC_METRICS_LISTEN: '127.0.0.1:0' },
    traces: { SVC_TRACES_URL: `http://127.0.0.1:${collector.address().port}/v1/traces` },
  }
  const seen = []
  try {
    for (let set = 1; set <= sets; set += 1) {
      seen.push(await measureSet(settings))
      const ratios = Object.entries(ratiosOf(seen.at(-1))).map(([name, ratio]) => `${name} ${ratio.toFixed(3)}`)
      report(`set ${set} of ${sets}: ${ratios.join(', ')}`)
    }
  } finally {
    collector.close()
    collector.closeAllConnections()
  }
  return describe(seen)
}

/** Microseconds of CPU of a call, by server, one for each turn. */
async function measureSet(settings) {
  const servers = []
  try {
    for (const [name, each] of Object.entries(settings)) {
      const env = { BENCH_SETTINGS: JSON.stringify(each) }
      servers.push({ name, server: await startChildServer('./product-server.mjs', { env }), micros: [] })
    }
    for (const { server } of servers) await cpuOfCall(server, warmUpCalls)
    for (let turn = 0; turn < turns; turn += 1) {
      // What the machine does meanwhile, or comes to, strikes the first and the last alike.
      for (const { server, micros } of turn % 2 === 0 ? servers : servers.toReversed())
        micros.push(await cpuOfCall(server, calls))
    }
    return Object.fromEntries(servers.map(({ name, micros }) => [name, micros]))
  } finally {
    for (const { server } of servers) server.stop()
  }
}

async function cpuOfCall(server, calls) {
  const headers = { ...modernHeaders(method, params), authorization: `Bearer ${server.key}` }
  const before = await server.cpuMicros()
  await drive({ port: server.port, headers, body: (id) => modernMessage(id, method, params), calls, inFlight })
  return ((await server.cpuMicros()) - before) / calls
}

function undisturbed(micros) {
  return quantile(micros, 0.25)
}

function ratiosOf({ plain, ...others }) {
  return Object.fromEntries(
    Object.entries(others).map(([name, micros]) => [name, undisturbed(micros) / undisturbed(plain)]),
  )
}

function describe(seen) {
  const ratios = seen.map(ratiosOf)
  const micros = median(seen.map(({ plain }) => undisturbed(plain))).toFixed(0)
  const row = (name, which, bar = null) => {
    const values = ratios.map((each) => each[which])
    const spread = `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`
    const reference = `the same server without, ${micros} us; ${sets} sets of processes, ${spread}`
    return figure({ name, value: median(values), unit: 'x', reference, bar })
  }
  return [
    row('CPU of a fast call, figures on', 'figures', figuresBar),
    row('CPU of a fast call, traces on', 'traces'),
    row('CPU of a fast call, neither on, beside another such server', 'again'),
  ]
}
