import { mkdtempSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { rawBytes, rawExchange, rawRequest } from '../raw-http.fixture.ts'
import { certificate, certificateKey } from './tls.fixture.ts'

let open: TestServer
afterEach(() => open.server.close())

describe('TLS', () => {
  const openTls = () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-tls-'))
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    writeFileSync(cert, certificate)
    writeFileSync(key, certificateKey)
    return openTestServer({ env: { SVC_LISTEN: '0.0.0.0:0', SVC_TLS_CERT: cert, SVC_TLS_KEY: key } })
  }
  const handshake = (maxVersion: 'TLSv1.2' | 'TLSv1.3') =>
    new Promise<string | null>((resolve, reject) => {
      const socket = connect({ port: open.port, host: '127.0.0.1', ca: certificate, maxVersion }, () => {
        resolve(socket.getProtocol())
        socket.destroy()
      })
      socket.on('error', reject)
    })

  it('is 1.3 and nothing older', async () => {
    open = await openTls()
    expect(open.url).toMatch(/^https:/)
    expect(await handshake('TLSv1.3')).toBe('TLSv1.3')
    await expect(handshake('TLSv1.2')).rejects.toThrow(/protocol version|alert/i)
  })

  it('carries requests', async () => {
    open = await openTls()
    const status = await new Promise((resolve, reject) => {
      get({ port: open.port, host: '127.0.0.1', path: '/healthz', ca: certificate, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).on('error', reject)
    })
    expect(status).toBe(200)
  })
})

describe('a trusted proxy', () => {
  const asked = (path: string, headers: Readonly<Record<string, string>>) =>
    rawRequest(open.port, { method: 'GET', path, headers })

  it('is the only way in, and only when the caller came to it over https', async () => {
    open = await openTestServer({ env: { SVC_TRUSTED_PROXIES: '127.0.0.0/8' } })
    expect((await asked('/mcp', { 'x-forwarded-proto': 'https' })).status).toBe(401)
    expect((await asked('/mcp', { 'x-forwarded-proto': 'http' })).json).toMatchObject({ code: 'PROXY_REQUIRED' })
    expect((await asked('/mcp', {})).status).toBe(403)
    await open.server.close()
    open = await openTestServer({ env: { SVC_TRUSTED_PROXIES: '10.0.0.1' } })
    expect((await asked('/mcp', { 'x-forwarded-proto': 'https' })).status).toBe(403)
  })

  it('is not asked for by a probe, which comes from inside the container', async () => {
    open = await openTestServer({ env: { SVC_TRUSTED_PROXIES: '10.0.0.1' } })
    expect((await asked('/healthz', {})).text).toBe('{"status":"ok"}')
  })

  it('tells callers apart by the last address it did not make up itself', async () => {
    open = await openTestServer({
      env: { SVC_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' },
      limits: { unauthenticatedPerMinute: 1 },
    })
    const from = async (addresses: string) =>
      (await rawRequest(open.port, { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': addresses } })).status
    expect(await from('203.0.113.1')).toBe(401)
    expect(await from('198.51.100.7, 203.0.113.1')).toBe(429)
    expect(await from('203.0.113.1, 10.1.1.1')).toBe(429)
    expect(await from('203.0.113.2')).toBe(401)
  })

  it('of a platform names callers in a field of its own, where the last public address is the platform itself', async () => {
    open = await openTestServer({
      env: { SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_CLIENT_ADDRESS_HEADER: 'Fly-Client-IP' },
      limits: { unauthenticatedPerMinute: 1 },
    })
    const from = (...fields: readonly (readonly [string, string])[]) => {
      const forwarded = ['x-forwarded-for', '203.0.113.1, 66.241.124.1'] as const
      const edge = [['host', 'localhost'], ['x-forwarded-proto', 'https'], forwarded, ...fields] as const
      return rawExchange(open.port, rawBytes('GET /mcp', edge)).then(({ status }) => status)
    }
    const named = (address: string) => ['fly-client-ip', address] as const
    expect([await from(named('203.0.113.1')), await from(named('203.0.113.1'))]).toEqual([401, 429])
    expect(await from(named('203.0.113.2')), 'a stranger beside it').toBe(401)
    // Absent or twice, they share what the proxy has.
    expect([await from(), await from(named('203.0.113.3'), named('203.0.113.4'))]).toEqual([401, 429])
  })

  it('cannot have its word drowned in other header fields', async () => {
    open = await openTestServer({
      env: { SVC_TRUSTED_PROXIES: '127.0.0.1' },
      limits: { unauthenticatedPerMinute: 1 },
    })
    // A client forges the first address and fills up what is read; its edge appends the true one.
    const from = (forged: string, others: number) => {
      const filling = Array.from({ length: others }, (_, index) => [`a${index}`, ''] as const)
      const forwarded = ['x-forwarded-for', '203.0.113.1'] as const
      const fields = [
        ['host', 'localhost'],
        ['x-forwarded-proto', 'https'],
        ['x-forwarded-for', forged],
      ] as const
      return rawExchange(open.port, rawBytes('GET /mcp', [...fields, ...filling, forwarded]))
    }
    // With these five, a hundred.
    expect((await from('198.51.100.1', 95)).status).toBe(401)
    expect((await from('198.51.100.2', 95)).status).toBe(429)
    for (const others of [96, 500, 1_500]) {
      const refused = await from('198.51.100.3', others)
      expect(refused).toMatchObject({ status: 431, json: { code: 'HEADERS_TOO_LARGE', status: 431, retryable: false } })
      expect(refused.head).toContain('application/problem+json')
    }
  })
})
