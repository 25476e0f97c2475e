// Asks the tool server of `npm start` which price range to choose in a pool, over MCP's HTTP transport with plain fetch:
//
//   npm start                         in one terminal
//   node examples/lp-on-a-pool.mjs    in another
//
// It finds the world by itself; --world FILE names the ready.json of another. The read key is enough: nothing is signed, and
// nothing changes.
import { parseArgs } from 'node:util'
import { localWorld } from './local-world.mjs'

const { world } = parseArgs({ options: { world: { type: 'string' } } }).values
const { mcp } = await localWorld(world)

const answer = await callTool('optimize_lp_range', {
  chain: 'local',
  token0: 'WETH',
  token1: 'USDC',
  fee: 500,
  amount: '10000',
  horizonDays: 30,
  riskTolerance: 'moderate',
})

// Each figure stands with its standard error, and the notes say what all of it rests on.
const { pair, currentPrice, volatility, optimalRange, projections, notes } = answer
const { annualized, standardError, source, lookback } = volatility
console.log(
  `${pair} at ${currentPrice}, volatility ${share(annualized, standardError)} a year (${source}, ${lookback})`,
)
console.log(`range      ${optimalRange.priceLower} to ${optimalRange.priceUpper}`)
console.log(`time in    ${share(projections.inRangeProbability, projections.inRangeProbabilityError)}`)
console.log(`IL         ${percent(projections.expectedIlPct, projections.expectedIlPctError)} in 30 days`)
console.log(`net APR    ${percent(projections.expectedNetApr, projections.expectedNetAprError)}`)
for (const note of notes) console.log(`- ${note}`)

/** A call of revision 2026-07-28, which needs no session; the server may answer with JSON or with a stream of events. */
async function callTool(name, input) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'lp-on-a-pool', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(mcp.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${mcp.keys.read}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: input, _meta: meta },
    }),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The server answers ${response.status}: ${text}`)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const { result, error } = JSON.parse(isStream ? text.slice(text.lastIndexOf('data: ') + 6) : text)
  if (error !== undefined) throw new Error(error.message)
  if (result.isError) throw new Error(result.content.map((part) => part.text).join('\n'))
  return result.structuredContent
}

function percent(value, error) {
  return `${value.toFixed(2)} ± ${error.toFixed(2)} %`
}

function share(value, error) {
  return percent(100 * value, 100 * error)
}
