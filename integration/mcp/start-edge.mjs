import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'

/** What an access edge is to a server behind it: keys that it publishes, and tokens of services that it let in. */
export async function startEdge() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'edge-1', alg: 'RS256', use: 'sig' }
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  const audience = 'a'.repeat(64)
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return {
    /** By which a server takes its tokens. */
    settings: { SVC_EDGE_ISSUER: url, SVC_EDGE_KEYS_URL: `${url}/certs`, SVC_EDGE_AUDIENCE: audience },
    /** What it adds to a request of a service, for a quarter of an hour. */
    headersFor(service) {
      const now = Math.floor(Date.now() / 1_000)
      const claims = { iss: url, aud: [audience], common_name: service, sub: '', iat: now, exp: now + 900 }
      const text = `${part({ alg: 'RS256', kid: jwk.kid, typ: 'JWT' })}.${part(claims)}`
      const signature = sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')
      return { 'access-jwt-assertion': `${text}.${signature}` }
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
