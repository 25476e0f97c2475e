// A bounded load on 127.0.0.1: `calls` requests, `inFlight` at a time, over kept-alive connections. Gives the milliseconds of each.
import { Agent, request } from 'node:http'

export async function drive({ port, headers, body, calls, inFlight = 16 }) {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  let issued = 0
  const waitsMs = []
  const worker = async () => {
    while (issued < calls) {
      issued += 1
      const begin = performance.now()
      const { status, text } = await post(agent, port, headers, body(issued))
      waitsMs.push(performance.now() - begin)
      if (status !== 200 || text.includes('"isError":true')) throw new Error(`${status} ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  agent.destroy()
  return waitsMs
}

export function post(agent, port, headers, text, path = '/mcp') {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (part) => (answer += part))
        response.on('end', () => resolve({ status: response.statusCode, text: answer, headers: response.headers }))
      },
    )
    outgoing.on('error', (error) => {
      // A server closes a connection that was idle for long, perhaps just when it is used again.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(post(agent, port, headers, text, path))
      else reject(error)
    })
    outgoing.end(text)
  })
}
