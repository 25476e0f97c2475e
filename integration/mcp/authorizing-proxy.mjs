// A proxy on the loopback interface that adds the credentials the conformance suite cannot send. Everything else
// passes as it is: Host, Origin, every other header, bodies and streams in both directions.
import { createServer, request as openRequest } from 'node:http'

/** Opens the proxy on a free port; `url` has the path of the target. */
export async function openAuthorizingProxy(target, credentials) {
  const { hostname, port, pathname } = new URL(target)
  const server = createServer((incoming, response) => {
    const headers = [...incoming.rawHeaders, ...Object.entries(credentials).flat()]
    const forwarded = openRequest({ hostname, port, path: incoming.url, method: incoming.method, headers })
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.statusMessage, answer.rawHeaders)
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
