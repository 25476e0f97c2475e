// What an answer costs that the endpoint is not asked for, held against the shortest way through the server: a list of its tools.
import { callTool, startServer } from '../write.mjs'
import { figure, median } from './figure.mjs'
import { drive } from './load.mjs'
import { legacyMessage } from './mcp-messages.mjs'
import { sized } from './size.mjs'

const rounds = sized(7)
const calls = sized(600, 20)
const bar = 2

/** Reads whose answers are made of what is kept: the tokens of the lists, and what endpoints can do, which was asked within 30 seconds. */
const kept = { search_tokens: { query: 'USD' }, list_supported_chains: {} }

export async function keptFigures({ devnet, proxy, closers, report }) {
  const server = await startServer(devnet, proxy.url, closers, { settings: { LOG_LEVEL: 'info' } })
  const cpuOf = async (method, params) => {
    const before = await server.cpuMicros()
    const body = (index) => legacyMessage(index, method, params)
    await drive({ port: server.port, headers: server.headers, body, calls })
    return ((await server.cpuMicros()) - before) / calls
  }
  const seen = new Map(Object.keys(kept).map((name) => [name, { ratios: [], micros: [], asked: [] }]))
  const lists = []
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, input] of Object.entries(kept)) {
      const list = await cpuOf('tools/list', {})
      await callTool(server, name, input)
      proxy.take()
      const call = await cpuOf('tools/call', { name, arguments: input })
      const asked = proxy.take().length
      if (round === 0) continue
      lists.push(list)
      const { ratios, micros, asked: all } = seen.get(name)
      ratios.push(call / list)
      micros.push(call)
      all.push(asked)
    }
    report(`kept answers: round ${round} of ${rounds}`)
  }
  server.stop()
  return [...seen].map(([name, { ratios, micros, asked }]) =>
    figure({
      name: `${name} out of what is kept, CPU`,
      value: median(ratios),
      unit: 'x',
      reference: `tools/list in the same session, ${median(lists).toFixed(0)} us; the call ${median(micros).toFixed(0)} us, ${Math.max(...asked)} requests to the endpoint in ${calls} of them`,
      bar,
    }),
  )
}
