// node ask.mjs JSON: asks the server on port 3000 of the network it is started in, as an edge in front of it does, and prints what came back.
import { post } from '../../bench/parts/load.mjs'
import {
  legacyHeaders,
  legacyMessage,
  modernHeaders,
  modernMessage,
  openSession,
} from '../../bench/parts/mcp-messages.mjs'

const port = 3000
const { key, calls = 1 } = JSON.parse(process.argv[2])
const edge = { ...legacyHeaders, authorization: `Bearer ${key}`, 'x-forwarded-proto': 'https' }

const list = await modern('tools/list', {})
const call = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }
let answered = 0
for (let count = 0; count < calls; count += 1) answered += (await modern('tools/call', call)).isError === true ? 0 : 1
const session = await openSession(port, edge)
const legacy = await post(undefined, port, session, legacyMessage(9, 'tools/list', {}))
const past = await post(undefined, port, { ...edge, 'x-forwarded-proto': 'http' }, legacyMessage(1, 'ping', {}))
process.stdout.write(
  JSON.stringify({
    tools: list.tools.map(({ name }) => name),
    answered,
    found: (await modern('tools/call', call)).structuredContent.items.length,
    legacy: legacy.status,
    pastTheEdge: past.status,
  }),
)

async function modern(method, params) {
  const headers = { ...edge, ...modernHeaders(method, params) }
  const { status, text } = await post(undefined, port, headers, modernMessage(1, method, params))
  if (status !== 200) throw new Error(`${method}: ${status} ${text}`)
  return JSON.parse(text.startsWith('event:') ? /^data: (.*)$/m.exec(text)[1] : text).result
}
