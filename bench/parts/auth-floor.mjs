// A call with all tools of the profile `full` listed, in both protocol eras, with the static bearer token: CPU against a bare server that
// answers the same bytes, and the slowest answers against what the SDK's own handler takes for half of its.
import { measure } from '../mcp.mjs'
import { startChildServer } from './child-server.mjs'
import { figure } from './figure.mjs'
import { searchAnew } from './mcp-messages.mjs'
import { sized } from './size.mjs'

const bar = 4
const token = 'YSBzdGF0aWMgYmVhcmVyIHRva2VuIG9mIHRoaXMgYmVuY2htYXJr'
const calls = { method: 'tools/call', calls: sized(800, 40) }
/** What the server itself costs: a call whose answer is kept has no other cost. The one whose tool works is beside it, without a bar. */
const kept = { ...calls, params: { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } } }
const anew = { ...calls, params: searchAnew }

export async function callFigures(report) {
  const floor = await startChildServer('./floor-server.mjs')
  const env = { BENCH_SETTINGS: JSON.stringify({ MCP_AUTH_TOKEN: token }) }
  const product = { ...(await startChildServer('./product-server.mjs', { env })), key: token }
  const sdk = await startChildServer('./sdk-server.mjs')
  try {
    const servers = { floor, product, sdk }
    const worked = await measure(anew, servers, report)
    const { micros, p50, p99 } = await measure(kept, servers, report)
    return [
      ['legacy session', 'legacy', 'sdkLegacy'],
      ['2026-07-28', 'modern', 'sdkModern'],
    ].flatMap(([era, ours, theirs]) => [
      figure({
        name: `tools/call, ${era}, CPU`,
        value: micros[ours] / micros.floor,
        unit: 'x',
        reference: `bare node:http with the same answer, ${micros.floor.toFixed(0)} us; the call ${micros[ours].toFixed(0)} us`,
        bar,
      }),
      figure({
        name: `tools/call, ${era}, p99`,
        value: p99[ours] / p50[theirs],
        unit: 'x',
        reference: `p50 of the SDK's handler, ${p50[theirs].toFixed(1)} ms; p50 of the call ${p50[ours].toFixed(1)} ms, 16 at once`,
        bar: 1,
      }),
      figure({
        name: `tools/call of a search that is made, ${era}, CPU`,
        value: worked.micros[ours] / worked.micros.floor,
        unit: 'x',
        reference: `bare node:http with the same answer, ${worked.micros.floor.toFixed(0)} us; the call ${worked.micros[ours].toFixed(0)} us`,
      }),
    ])
  } finally {
    for (const server of [floor, product, sdk]) server.stop()
  }
}
