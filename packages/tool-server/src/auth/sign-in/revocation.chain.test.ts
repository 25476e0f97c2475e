import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { connectModern } from '../../test-server.fixture.ts'
import { initialize } from '../../raw-http.fixture.ts'
import { answers, openSocket, refusalOf } from '../../transports/web-socket.fixture.ts'
import { newAccount, register, signInWith, startSigningServer, statusWith } from './signing-server.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** A server, and the state beside it, where commands of the operator write. */
async function start(policy: object = {}, env: Readonly<Record<string, string>> = {}) {
  const server = await startSigningServer(devnet(), { policy, env })
  closers.push(server.close)
  const store = await openStore({ path: join(server.dataDir, 'state.db'), now: Date.now })
  closers.push(() => store.close())
  return { ...server, signIns: store.signIns }
}

const accept = 'application/json, text/event-stream'

/** Opens a session of the 2025 revisions and its stream; `ended` settles when the server ends it. */
async function openStream(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const opened = await fetch(url, { method: 'POST', headers, body })
  await opened.text()
  const session = opened.headers.get('mcp-session-id') ?? ''
  const inSession = { ...headers, 'mcp-session-id': session }
  const stream = await fetch(url, { headers: { ...inSession, accept: 'text/event-stream' } })
  expect(stream.status).toBe(200)
  const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
  return {
    ended: stream.text().catch(() => ''),
    status: async (authorization = headers.authorization) => {
      const answer = await fetch(url, { method: 'POST', headers: { ...inSession, authorization }, body: call })
      await answer.text()
      return answer.status
    },
  }
}

describe('the token of a revoked address', () => {
  it('ends its open stream, its session and its calls; and the address signs in no more until it is restored', async () => {
    const server = await start()
    const account = newAccount()
    const [{ token }, { token: another }] = [await signInWith(server, account), await signInWith(server, account)]
    const { token: bobs } = await signInWith(server, newAccount())
    const stream = await openStream(server.url, token)
    expect([
      await stream.status(),
      await stream.status(`Bearer ${another}`),
      await stream.status(`Bearer ${bobs}`),
    ]).toEqual([200, 200, 404])
    const subject = `address:${account.address}`
    expect(await server.signIns.revoke({ subject, by: 'operator:ann', until: null })).toBe(true)
    await stream.ended
    expect([await stream.status(), await statusWith(server.url, another)]).toEqual([401, 401])
    expect(await statusWith(server.url, bobs)).toBe(400)
    await expect(signInWith(server, account)).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
    await server.signIns.restore(subject)
    await expect
      .poll(
        () =>
          signInWith(server, account).then(
            () => 'in',
            () => 'out',
          ),
        { interval: 500 },
      )
      .toBe('in')
  })

  it('ends a WebSocket that says nothing', async () => {
    const server = await start({}, { SVC_WEBSOCKET: 'on' })
    const account = newAccount()
    const { token } = await signInWith(server, account)
    const port = Number(new URL(server.url).port)
    const { socket, until, closed } = await openSocket(port, token)
    socket.send(initialize('2025-11-25', 1))
    expect(await until(answers(1))).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    await server.signIns.revoke({ subject: `address:${account.address}`, by: 'operator:ann', until: null })
    expect((await closed).code).toBe(1008)
    expect((await refusalOf(openSocket(port, token))).status).toBe(401)
  })

  it('is another thing than one revoked token, whose siblings stay', async () => {
    const server = await start()
    const account = newAccount()
    const [one, other] = [await signInWith(server, account), await signInWith(server, account)]
    await server.signIns.revoke({ subject: `jti:${String(one.claims['jti'])}`, by: 'operator:ann', until: null })
    await expect.poll(() => statusWith(server.url, one.token)).toBe(401)
    expect(await statusWith(server.url, other.token)).toBe(400)
    await signInWith(server, account)
  })
})

describe('keys', () => {
  it('change when they are asked to; what the old one signed is taken to its end, and after a restart', async () => {
    const server = await start()
    const account = newAccount()
    const before = await signInWith(server, account)
    await server.signIns.rotate({ overlapMs: 900_000 })
    // Sign-ins are limited, so nobody waits by trying them over and over.
    await expect.poll(async () => (await server.signIns.state()).keys).toHaveLength(2)
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    await expect
      .poll(async () => kidOf((await signInWith(server, account)).token), { interval: 500 })
      .not.toBe(kidOf(before.token))
    expect(await statusWith(server.url, before.token)).toBe(400)
    const published = (await (await fetch(new URL('/.well-known/jwks.json', server.url))).json()) as { keys: object[] }
    expect(published.keys).toHaveLength(2)
    expect(JSON.stringify(published)).not.toContain('"d"')
    await server.close()
    const port = new URL(server.url).port
    const again = await startSigningServer(devnet(), {
      dataDir: server.dataDir,
      env: { SVC_LISTEN: `127.0.0.1:${port}` },
    })
    closers.push(again.close)
    expect(again.url).toBe(server.url)
    expect(await statusWith(again.url, before.token)).toBe(400)
  })
})

describe('keys that are changed without an overlap', () => {
  it('end what the old one signed: its tokens, its open stream, its WebSocket; whoever signs in again goes on', async () => {
    const server = await start({}, { SVC_WEBSOCKET: 'on' })
    const account = newAccount()
    const { token } = await signInWith(server, account)
    const stream = await openStream(server.url, token)
    const { closed } = await openSocket(Number(new URL(server.url).port), token)
    expect(await stream.status()).toBe(200)
    await server.signIns.rotate({ overlapMs: 0 })
    await stream.ended
    expect((await closed).code).toBe(1008)
    expect([await stream.status(), await statusWith(server.url, token)]).toEqual([401, 401])
    await expect
      .poll(async () => statusWith(server.url, (await signInWith(server, account)).token), { interval: 500 })
      .toBe(400)
    // It was not revoked, and no token comes back to life.
    expect(await statusWith(server.url, token)).toBe(401)
    const { keys } = (await (await fetch(new URL('/.well-known/jwks.json', server.url))).json()) as { keys: unknown[] }
    expect(keys).toHaveLength(1)
  })
})

describe('a grant that is taken out of the policy', () => {
  it('is felt by whoever is signed in, and ends the session, the stream and the WebSocket that were opened with it', async () => {
    const account = newAccount()
    await register(devnet(), account, 'vault_creator')
    const policy = { signIn: { wallets: { [account.address]: ['admin:wallet'] } } }
    const server = await start(policy, { SVC_WEBSOCKET: 'on' })
    const { token } = await signInWith(server, account)
    const { client } = await connectModern(server.url, token, 'modern')
    closers.push(() => client.close())
    const may = async () => {
      const { _meta: meta } = await client.callTool({ name: 'check_safety_status', arguments: {} })
      return !JSON.stringify(meta ?? {}).includes('INSUFFICIENT_KEY_TIER')
    }
    const stream = await openStream(server.url, token)
    expect([await may(), await stream.status()]).toEqual([true, 200])
    const port = Number(new URL(server.url).port)
    const { closed } = await openSocket(port, token)
    server.setPolicy({})
    await expect.poll(may).toBe(false)
    // What is open rests on what was granted, and ends with it; the token goes on with what is left.
    await stream.ended
    expect((await closed).code).toBe(1008)
    const again = await openSocket(port, token)
    again.socket.close()
    // The session was opened with more than its principal has now: it begins another.
    expect(await stream.status()).toBe(404)
  })
})
