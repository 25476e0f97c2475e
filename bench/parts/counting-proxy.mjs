// Stands in front of a JSON-RPC endpoint and keeps a line for every HTTP request that passes: when it came and was answered (in
// milliseconds since the process began), and which methods.
import { Agent, createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** With `latencyMs` each answer is as late as over a line of that round trip. */
export async function startCountingProxy(target, { latencyMs = 0 } = {}) {
  const agent = new Agent({ keepAlive: true })
  let trips = []
  const server = createServer((incoming, response) => {
    const parts = []
    incoming.on('data', (part) => parts.push(part))
    incoming.on('end', () => void forward())
    async function forward() {
      const body = Buffer.concat(parts)
      const calls = [JSON.parse(body.toString())].flat()
      const trip = { at: Date.now(), from: performance.now(), to: null, methods: calls.map(({ method }) => method) }
      trips.push(trip)
      response.on('finish', () => (trip.to = performance.now()))
      if (latencyMs > 0) await sleep(latencyMs)
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      const outgoing = request(target, { agent, method: 'POST', headers }, (answer) => {
        response.writeHead(answer.statusCode, { 'content-type': 'application/json' })
        answer.pipe(response)
      })
      outgoing.on('error', () => response.destroy())
      outgoing.end(body)
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The requests since the last call. */
    take() {
      const taken = trips
      trips = []
      return taken
    },
    stop() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}
