// A server that takes credentials of every kind, and whoever issues them: a local chain for wallets that sign in, and an issuer on this
// machine for OAuth access tokens and for tokens of an access edge.
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { signIn } from '@svc/wallet'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { startChildServer } from './child-server.mjs'
import { startCountingProxy } from './counting-proxy.mjs'

/** Over HTTP and WebSocket; `proxy` counts what the chain is asked. */
export async function openAuthWorld() {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-auth-'))
  const closers = [async () => rmSync(directory, { recursive: true, force: true })]
  const close = async () => {
    for (const one of closers.toReversed()) await one()
  }
  try {
    const devnet = await startDevnet({ history: false })
    closers.push(() => devnet.stop())
    const proxy = await startCountingProxy(devnet.rpcUrl, { latencyMs: 0 })
    closers.push(() => proxy.stop())
    const issuer = await startIssuer()
    closers.push(() => issuer.stop())
    const chainsFile = join(directory, 'chains.json')
    writeFileSync(chainsFile, JSON.stringify([devnet.chain]))
    const all = {
      SVC_CHAINS_FILE: chainsFile,
      SVC_SIWE_CHAIN: `${devnet.chainId}`,
      [`SVC_RPC_URL_${devnet.chainId}`]: proxy.url,
      SVC_OAUTH_ISSUERS: `${issuer.url} ES256`,
      SVC_EDGE_ISSUER: `${issuer.url}/edge`,
      SVC_EDGE_KEYS_URL: `${issuer.url}/keys`,
      SVC_EDGE_AUDIENCE: edgeAudience,
      MCP_AUTH_TOKEN: bearer,
      // Nothing but sign-ins asks the chain there.
      SVC_MCP_PROFILE: 'data',
      SVC_WEBSOCKET: 'on',
    }
    const env = { BENCH_SETTINGS: JSON.stringify(all) }
    const server = await startChildServer('./product-server.mjs', { env, execArgv: ['--expose-gc'] })
    closers.push(async () => server.stop())
    const url = `http://127.0.0.1:${server.port}/mcp`
    /** A wallet that was never seen before signs in. */
    const signInAnew = async (tries = 3) => {
      try {
        return (await signIn(newWallet(), url, { timeoutMs: 120_000 })).token
      } catch (error) {
        // The server waits ten seconds for the chain, which is little on a machine with much else to do.
        if (tries <= 1 || error.code !== 'SIGN_IN_UNAVAILABLE') throw error
        return signInAnew(tries - 1)
      }
    }
    return { server, proxy, signInAnew, credentials: () => credentialsAt(url, { server, issuer, signInAnew }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Milliseconds: they hold for a quarter of an hour. */
export const renewedAfterMs = 5 * 60_000
const bearer = 'b3BlbnNzbC1yYW5kLWJhc2U2NC0zMi1ieXRlcy1sb25nLWVub3VnaA'
const edgeAudience = 'a'.repeat(64)

/** The header fields of a caller of each kind, good for a quarter of an hour. */
async function credentialsAt(url, { server, issuer, signInAnew }) {
  const [iat, exp] = [0, 900].map((seconds) => Math.floor(Date.now() / 1_000) + seconds)
  const access = {
    iss: issuer.url,
    aud: url,
    sub: 'somebody',
    client_id: 'a-program',
    scope: 'read:market read:portfolio',
    iat,
    exp,
  }
  const edge = { iss: `${issuer.url}/edge`, aud: [edgeAudience], common_name: 'a-service', iat, exp }
  const of = (token) => ({ authorization: `Bearer ${token}` })
  return {
    'static bearer': of(bearer),
    'API key': of(server.key),
    'token of a wallet': of(await signInAnew()),
    'OAuth token': of(issuer.sign(access, 'ES256', 'at+jwt')),
    'edge token': { 'access-jwt-assertion': issuer.sign(edge, 'RS256', 'JWT') },
  }
}

function newWallet() {
  const privateKey = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
  return new ServiceWallet({ mode: 'local', privateKey })
}

/** Publishes a key of each algorithm, and signs with it. */
async function startIssuer() {
  const pairs = {
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  }
  const keys = Object.entries(pairs).map(([alg, { publicKey }]) =>
    Object.assign(publicKey.export({ format: 'jwk' }), { kid: alg, alg, use: 'sig' }),
  )
  const server = createServer((request, response) => {
    const { port } = server.address()
    const url = `http://127.0.0.1:${port}`
    const body = request.url === '/keys' ? { keys } : { issuer: url, jwks_uri: `${url}/keys` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    sign(claims, alg, typ) {
      const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const text = `${part({ alg, kid: alg, typ })}.${part(claims)}`
      const key = { key: pairs[alg].privateKey, dsaEncoding: 'ieee-p1363' }
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
