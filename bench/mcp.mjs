// Server CPU per tools/call over HTTP: the product, with authentication and schema checks on, in both protocol eras,
// against a bare node:http floor and against the SDK's own handler serving the same catalogue.
import { startChildServer } from './parts/child-server.mjs'
import { figure, median } from './parts/figure.mjs'
import { drive, post } from './parts/load.mjs'

const rounds = 5
const calls = 2_000
const tool = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }

export async function run(report) {
  const floor = await startChildServer('./floor-server.mjs')
  const product = await startChildServer('./product-server.mjs')
  const sdk = await startChildServer('./sdk-server.mjs')
  try {
    const session = await openSession(product)
    const variants = {
      floor: {
        server: floor,
        headers: json,
        body: (id) => JSON.stringify({ ...call(id), ...(id === 1 ? { answer: sample } : {}) }),
      },
      legacy: {
        server: product,
        headers: { ...auth(product), ...json, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
        body: (id) => JSON.stringify(call(id)),
      },
      modern: {
        server: product,
        headers: { ...auth(product), ...modernHeaders },
        body: (id) => JSON.stringify(modernCall(id)),
      },
      sdkModern: { server: sdk, headers: modernHeaders, body: (id) => JSON.stringify(modernCall(id)) },
      sdkLegacy: { server: sdk, headers: json, body: (id) => JSON.stringify(call(id)) },
    }
    const sample = JSON.stringify(JSON.parse(await firstAnswer(variants.legacy)).result)
    const micros = Object.fromEntries(Object.keys(variants).map((name) => [name, []]))
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, variant] of Object.entries(variants)) {
        const before = await variant.server.cpuMicros()
        await drive({ port: variant.server.port, headers: variant.headers, body: variant.body, calls })
        if (round > 0) micros[name].push(((await variant.server.cpuMicros()) - before) / calls)
      }
      report(round === 0 ? 'warm-up done' : `round ${round} of ${rounds}`)
    }
    const cost = Object.fromEntries(Object.entries(micros).map(([name, values]) => [name, median(values)]))
    const floorText = `node:http floor, ${cost.floor.toFixed(0)} us CPU a call`
    return [
      figure({
        name: 'tools/call in a legacy session, CPU',
        value: cost.legacy / cost.floor,
        unit: 'x',
        reference: floorText,
        bar: 8,
      }),
      figure({
        name: 'tools/call of 2026-07-28, CPU',
        value: cost.modern / cost.floor,
        unit: 'x',
        reference: floorText,
      }),
      figure({
        name: 'SDK handler, 2026-07-28, CPU',
        value: cost.sdkModern / cost.floor,
        unit: 'x',
        reference: floorText,
      }),
      figure({
        name: 'SDK handler, legacy stateless, CPU',
        value: cost.sdkLegacy / cost.floor,
        unit: 'x',
        reference: floorText,
      }),
      figure({
        name: 'product of SDK handler, 2026-07-28, CPU',
        value: cost.modern / cost.sdkModern,
        unit: 'x',
        reference: 'SDK createMcpHandler, same catalogue',
      }),
      figure({
        name: 'product session of SDK handler, legacy, CPU',
        value: cost.legacy / cost.sdkLegacy,
        unit: 'x',
        reference: 'SDK createMcpHandler, same catalogue',
      }),
    ]
  } finally {
    for (const server of [floor, product, sdk]) server.stop()
  }
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const modernHeaders = {
  ...json,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': tool.name,
}
const auth = ({ key }) => ({ authorization: `Bearer ${key}` })
const call = (id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: tool })
const modernCall = (id) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    ...tool,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

async function openSession(server) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } }
  const opened = await post(
    undefined,
    server.port,
    { ...auth(server), ...json },
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  )
  const session = opened.headers['mcp-session-id']
  await post(
    undefined,
    server.port,
    { ...auth(server), ...json, 'mcp-session-id': session },
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  )
  return session
}

async function firstAnswer({ server, headers, body }) {
  const { status, text } = await post(undefined, server.port, headers, body(1))
  if (status !== 200) throw new Error(`${status} ${text}`)
  return text
}
