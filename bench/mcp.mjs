// Server CPU per request over HTTP: the product, with authentication and schema checks on, in both protocol eras, against
// a bare node:http floor that answers the same bytes and against the SDK's own handler serving the same catalogue.
import { startChildServer } from './parts/child-server.mjs'
import { figure, median, quantile } from './parts/figure.mjs'
import { drive, post } from './parts/load.mjs'
import {
  legacyHeaders,
  legacyMessage,
  modernHeaders,
  modernMessage,
  openSession,
  searchAnew,
} from './parts/mcp-messages.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(7)
const requests = [
  {
    method: 'tools/call',
    params: searchAnew,
    calls: sized(2_000, 40),
  },
  { method: 'tools/list', params: {}, calls: sized(600, 12) },
]
const legacyBar = 8

export async function run(report) {
  const floor = await startChildServer('./floor-server.mjs')
  const product = await startChildServer('./product-server.mjs')
  const sdk = await startChildServer('./sdk-server.mjs')
  try {
    const figures = []
    for (const request of requests) {
      const { micros } = await measure(request, { floor, product, sdk }, report)
      figures.push(...describe(request.method, micros))
    }
    return figures
  } finally {
    for (const server of [floor, product, sdk]) server.stop()
  }
}

/** `params` may be a function of the number of the request. Medians over rounds, by variant: CPU microseconds of a request, and milliseconds to its answer. The rounds of the variants alternate. */
export async function measure({ method, params, calls }, { floor, product, sdk }, report) {
  const auth = { authorization: `Bearer ${product.key}` }
  const session = await openSession(product.port, { ...legacyHeaders, ...auth })
  const paramsOf = typeof params === 'function' ? params : () => params
  const legacy = (id) => legacyMessage(id, method, paramsOf(id))
  const modern = (id) => modernMessage(id, method, paramsOf(id))
  const modernCall = modernHeaders(method, paramsOf(0))
  const variants = {
    floor: { server: floor, headers: legacyHeaders, body: legacy, calls },
    legacy: { server: product, headers: session, body: legacy, calls },
    modern: { server: product, headers: { ...modernCall, ...auth }, body: modern, calls },
    sdkLegacy: { server: sdk, headers: legacyHeaders, body: legacy, calls: calls / 4 },
    sdkModern: { server: sdk, headers: modernCall, body: modern, calls: calls / 4 },
  }
  const sample = await answerOf(variants.legacy)
  await post(undefined, floor.port, legacyHeaders, JSON.stringify({ answer: JSON.stringify(sample) }))
  for (const variant of Object.values(variants)) requireSameAnswer(sample, await answerOf(variant))
  const seen = Object.fromEntries(Object.keys(variants).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, { server, headers, body, calls }] of Object.entries(variants)) {
      const before = await server.cpuMicros()
      const waitsMs = await drive({ port: server.port, headers, body, calls })
      const micros = ((await server.cpuMicros()) - before) / calls
      if (round > 0) seen[name].push({ micros, p50: quantile(waitsMs, 0.5), p99: quantile(waitsMs, 0.99) })
    }
    report(`${method}: ${round === 0 ? 'warm-up done' : `round ${round} of ${rounds}`}`)
  }
  const medians = (of) =>
    Object.fromEntries(Object.entries(seen).map(([name, rows]) => [name, median(rows.map((row) => row[of]))]))
  return { micros: medians('micros'), p50: medians('p50'), p99: medians('p99') }
}

function describe(method, cost) {
  const floor = `bare node:http with the same answer, ${cost.floor.toFixed(0)} us`
  const ofFloor = (name, value, bar) => figure({ name, value: value / cost.floor, unit: 'x', reference: floor, bar })
  const ofSdk = (name, value, base) =>
    figure({ name, value: value / base, unit: 'x', reference: `SDK createMcpHandler, ${base.toFixed(0)} us` })
  return [
    ofFloor(`${method} in a legacy session, CPU`, cost.legacy, legacyBar),
    ofFloor(`${method} of 2026-07-28, CPU`, cost.modern),
    ofFloor(`SDK handler: ${method}, legacy stateless, CPU`, cost.sdkLegacy),
    ofFloor(`SDK handler: ${method} of 2026-07-28, CPU`, cost.sdkModern),
    ofSdk(`${method} in a legacy session, CPU of SDK handler`, cost.legacy, cost.sdkLegacy),
    ofSdk(`${method} of 2026-07-28, CPU of SDK handler`, cost.modern, cost.sdkModern),
  ]
}

/** The result of one request, without what the protocol adds to it. */
async function answerOf({ server, headers, body }) {
  const { status, text } = await post(undefined, server.port, headers, body(1))
  const data = text.startsWith('event:') || text.startsWith(':') ? /^data: (.*)$/m.exec(text)?.[1] : text
  const { result } = JSON.parse(data ?? 'null') ?? {}
  if (status !== 200 || result === undefined || result.isError) throw new Error(`${status} ${text.slice(0, 500)}`)
  return result
}

/** Every variant answers the same: as many tools, or the same tokens in the same order. */
function requireSameAnswer(expected, answer) {
  const reported = ({ tools, structuredContent }) =>
    tools === undefined ? structuredContent.items.map(({ chain, address }) => `${chain.id}:${address}`) : tools.length
  if (String(reported(answer)) !== String(reported(expected))) throw new Error('the variants do not answer the same')
}
