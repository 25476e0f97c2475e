// What figures and traces cost: CPU of a fast call of the product with them over the same product without, in batches that alternate.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { startChildServer } from './parts/child-server.mjs'
import { figure, median } from './parts/figure.mjs'
import { drive } from './parts/load.mjs'
import { modernHeaders, modernMessage } from './parts/mcp-messages.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(15)
const calls = sized(2_000, 40)
const method = 'tools/call'
const params = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }
const figuresBar = 1.03

export async function run(report) {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const tracesUrl = `http://127.0.0.1:${collector.address().port}/v1/traces`
  const start = (settings) =>
    startChildServer('./product-server.mjs', { env: { BENCH_SETTINGS: JSON.stringify(settings) } })
  const servers = {
    plain: await start({}),
    figures: await start({ SVC_METRICS_LISTEN: '127.0.0.1:0' }),
    traces: await start({ SVC_TRACES_URL: tracesUrl }),
  }
  try {
    return describe(await measure(servers, report))
  } finally {
    for (const server of Object.values(servers)) server.stop()
    collector.close()
    collector.closeAllConnections()
  }
}

/** Microseconds of CPU of a call, by server, one for each round; those of a round follow each other. */
async function measure(servers, report) {
  const seen = Object.fromEntries(Object.keys(servers).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, server] of Object.entries(servers)) {
      const headers = { ...modernHeaders(method, params), authorization: `Bearer ${server.key}` }
      const before = await server.cpuMicros()
      await drive({ port: server.port, headers, body: (id) => modernMessage(id, method, params), calls })
      const micros = ((await server.cpuMicros()) - before) / calls
      if (round > 0) seen[name].push(micros)
    }
    report(round === 0 ? 'warm-up done' : `round ${round} of ${rounds}`)
  }
  return seen
}

function describe({ plain, figures, traces }) {
  const reference = `the same server without, ${median(plain).toFixed(0)} us`
  // Of each round by itself: what the machine does meanwhile strikes both.
  const ratio = (watched) => median(watched.map((micros, round) => micros / plain[round]))
  const row = (name, watched, bar) => figure({ name, value: ratio(watched), unit: 'x', reference, ...bar })
  return [
    row('CPU of a fast call, figures on', figures, { bar: figuresBar }),
    row('CPU of a fast call, traces on', traces),
  ]
}
