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

/** The most requests of which each began after the one before it was answered: what latency counts for. */
export function inSequence(trips) {
  let [count, until] = [0, -Infinity]
  for (const { from, to } of trips.toSorted((a, b) => a.to - b.to)) {
    if (from >= until) [count, until] = [count + 1, to]
  }
  return count
}

/** How often a receipt is asked for depends on the block time, not on who asks: each wait counts as one request. */
export function withoutWaiting(trips) {
  // What is looked at beside a receipt travels with each look for it.
  const waits = ({ methods }) => methods.includes(receipt) || methods.every((method) => waiting.has(method))
  return trips.filter((trip, index) => index === 0 || !waits(trip) || !waits(trips[index - 1]))
}

const receipt = 'eth_getTransactionReceipt'
const waiting = new Set([receipt, 'eth_blockNumber', 'eth_getTransactionByHash'])
