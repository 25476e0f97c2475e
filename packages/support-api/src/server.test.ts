import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { certificate, certificateKey } from '../../tool-server/src/transports/tls.fixture.ts'
import { readConfig } from './config.ts'
import { openSupportApi, type SupportApi } from './server.ts'

const open: SupportApi[] = []
afterEach(async () => {
  for (const api of open.splice(0)) await api.close()
})

const folder = () => mkdtempSync(join(tmpdir(), 'support-api-server-'))
const openApi = async (env: Readonly<Record<string, string>>) => {
  const api = await openSupportApi(
    readConfig({
      SVC_LISTEN: '127.0.0.1:0',
      SVC_IDENTITY_PROVIDER_URL: 'http://127.0.0.1:1',
      SVC_GATEWAY_URL: 'https://gateway.example',
      SVC_DATA_DIR: folder(),
      ...env,
    }),
    { logDestination: { write: () => undefined } },
  )
  open.push(api)
  return api
}

it('a data directory has one server, until that ends', async () => {
  const env = { SVC_DATA_DIR: folder() }
  const first = await openApi(env)
  await expect(openApi(env)).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED' })
  await first.close()
  await openApi(env)
})

it('a port that is taken stops the start', async () => {
  const { port } = await (await openApi({})).listen()
  await expect((await openApi({ SVC_LISTEN: `127.0.0.1:${port}` })).listen()).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

it('a client that says nothing does not hold up the end', async () => {
  const api = await openApi({})
  const { port } = await api.listen()
  const socket = connectPlain(port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.on('error', () => undefined).write('POST /v1/ipfs/pin HTTP/1.1\r\nhost: localhost\r\n')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await api.close(100)
  await closed
})

it('a client that never ends its request is cut off, and so is one of too many', async () => {
  const { url } = await (await openApi({})).listen()
  // What Node tells of itself, because waiting for it takes half a minute.
  const served = new Promise((resolve) => {
    const started = (message: unknown) => {
      unsubscribe('http.server.request.start', started)
      resolve((message as { readonly server: unknown }).server)
    }
    subscribe('http.server.request.start', started)
  })
  await fetch(`${url}/healthz`)
  const times = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 30_000 }
  expect(await served).toMatchObject({ ...times, maxConnections: 4_096 })
})

describe('TLS', () => {
  const openTls = async () => {
    const directory = folder()
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    writeFileSync(cert, certificate)
    writeFileSync(key, certificateKey)
    return (
      await openApi({ SVC_LISTEN: '0.0.0.0:0', SVC_ALLOWED_HOSTS: 'api.example', SVC_TLS_CERT: cert, SVC_TLS_KEY: key })
    ).listen()
  }

  it('is 1.3 and nothing older', async () => {
    const { port, url } = await openTls()
    expect(url).toBe(`https://0.0.0.0:${port}`)
    const handshake = (maxVersion: 'TLSv1.2' | 'TLSv1.3') =>
      new Promise((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', ca: certificate, maxVersion }, () => {
          resolve(socket.getProtocol())
          socket.destroy()
        })
        socket.on('error', reject)
      })
    expect(await handshake('TLSv1.3')).toBe('TLSv1.3')
    await expect(handshake('TLSv1.2')).rejects.toThrow(/protocol version|alert/i)
  })

  it.each([
    ['a file that is not there', '/canary', 'SVC_TLS_CERT', /cannot be read \(ENOENT\)/],
    ['a file of another kind', import.meta.filename, 'SVC_TLS_CERT', /not a certificate/],
  ])('stops the start with %s, before anything is opened', async (_what, path, setting, message) => {
    const directory = folder()
    const opening = openApi({ SVC_DATA_DIR: directory, SVC_TLS_CERT: path, SVC_TLS_KEY: import.meta.filename })
    await expect(opening).rejects.toMatchObject({ problems: [{ code: 'TLS_FILE_INVALID', setting }] })
    await expect(opening).rejects.toThrow(message)
    await expect(opening).rejects.not.toThrow(/canary/)
    expect(readdirSync(directory)).toEqual([])
  })

  it('a client that never begins its handshake is cut off as soon as one that sends no headers', async () => {
    const { port } = await openTls()
    const socket = connectPlain(port, '127.0.0.1').resume()
    const startedAt = performance.now()
    await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
    // Of itself Node waits for two minutes.
    expect(performance.now() - startedAt).toBeLessThan(50_000)
  }, 60_000)

  it('carries requests, and tells browsers to stay with it', async () => {
    const { port } = await openTls()
    const answer = await new Promise((resolve, reject) => {
      get({ port, path: '/healthz', host: '127.0.0.1', ca: certificate, agent: false }, ({ statusCode, headers }) =>
        resolve({ statusCode, hsts: headers['strict-transport-security'] }),
      ).on('error', reject)
    })
    expect(answer).toEqual({ statusCode: 200, hsts: 'max-age=31536000' })
  })
})
