import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Principal } from '@svc/engine'
import { parsePolicy } from '@svc/engine/policy'
import { openStore, type SignIns } from '@svc/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectFirst, connectModern, openTestServer, type TestServer } from '../../test-server.fixture.ts'
import { initialize, rawBytes, rawExchange, rawRequest } from '../../raw-http.fixture.ts'
import { openSignIn } from '../sign-in/open-sign-in.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import { startIssuer, type TestIssuer } from './issuer.fixture.ts'

const audience = 'http://localhost:3999/mcp'
const metadataUrl = 'http://localhost:3999/.well-known/oauth-protected-resource/mcp'
const policy = parsePolicy({}, { production: true })
const silent = { info: () => {}, warn: () => {} }
const closers: (() => Promise<unknown>)[] = []
let [issuer, open, signIn, signIns] = [] as unknown as [TestIssuer, TestServer, SignIn, SignIns]

beforeAll(async () => {
  issuer = await startIssuer()
  const path = join(mkdtempSync(join(tmpdir(), 'svc-oauth-')), 'state.db')
  const store = await openStore({ path, now: Date.now })
  signIns = store.signIns
  signIn = await openSignIn({
    signIns,
    wallets: null,
    oauth: [{ issuer: issuer.url, algorithms: ['ES256'], keysUrl: null }],
    edge: null,
    fetch,
    policies: { latest: () => policy, current: async () => policy },
    audit: async () => {},
    recordsIn: null,
    log: silent,
    now: Date.now,
  })
  open = await openTestServer({ signIn, env: { SVC_PUBLIC_URL: audience, SVC_MCP_PROFILE: 'full' } })
  closers.push(
    () => open.server.close(),
    () => store.close(),
    () => issuer.close(),
  )
})
afterAll(async () => {
  for (const close of closers) await close()
})

const tokenOf = (scope: string, sub = 'somebody') => {
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: issuer.url, aud: audience, sub, client_id: 'a-program', scope, iat, exp: iat + 600 }
  return issuer.sign(claims, { typ: 'at+jwt' })
}
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'move_funds', arguments: { amount: '1' } } }
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'move_funds' }
const ask = (token: string | undefined, options: object = {}) =>
  rawRequest(open.port, { ...(token !== undefined && { token }), body: JSON.stringify(call), ...options })

describe('a server with an authorization server', () => {
  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    'says at %s who issues tokens for it',
    async (path) => {
      const { status, json, headers } = await rawRequest(open.port, { method: 'GET', path })
      expect([status, json]).toEqual([
        200,
        {
          resource: audience,
          authorization_servers: [issuer.url],
          scopes_supported: ['read:market', 'read:portfolio'],
          bearer_methods_supported: ['header'],
          resource_name: expect.any(String),
        },
      ])
      expect(headers['content-type']).toBe('application/json')
      expect((await rawRequest(open.port, { method: 'POST', path, body: '{}' })).status).toBe(405)
    },
  )

  it('has nothing else there: no wallet signs in', async () => {
    for (const path of ['/auth/siwe', '/.well-known/jwks.json', '/.well-known/oauth-protected-resource/other']) {
      expect((await rawRequest(open.port, { method: 'GET', path })).status).toBe(404)
    }
    expect((await ask(undefined)).json).not.toHaveProperty('challenge')
  })

  it('names the metadata and the scopes to begin with in its challenge; an error only where credentials were sent', async () => {
    const rest = `scope="read:market read:portfolio", resource_metadata="${metadataUrl}"`
    expect((await ask(undefined)).headers['www-authenticate']).toBe(`Bearer realm="mcp", ${rest}`)
    expect((await ask('a.b.c')).headers['www-authenticate']).toBe(
      `Bearer realm="mcp", error="invalid_token", error_description="The token is not valid.", ${rest}`,
    )
    expect((await ask(undefined, { path: `/mcp?access_token=${await tokenOf('write:trade')}` })).status).toBe(401)
  })

  it.each([
    ['of 2026', modern],
    ['of before', {}],
  ])('has a client ask for the scope that a call %s lacks, and for that alone', async (_era, headers) => {
    const { status, json, headers: answered } = await ask(await tokenOf('read:market'), { headers })
    expect([status, json]).toEqual([403, expect.objectContaining({ code: 'INSUFFICIENT_KEY_TIER', retryable: false })])
    expect(json).toMatchObject({ message: expect.stringContaining('lacks the scope write:trade') })
    expect(answered['www-authenticate']).toMatch(
      /^Bearer realm="mcp", error="insufficient_scope", error_description="[^"]+", scope="write:trade", resource_metadata="[^"]+"$/,
    )
    expect(open.lines.find((line) => line.includes('auth.scope-missing'))).toContain('write:trade')
  })

  it('answers what the scopes of a token cover, in both eras, to both generations of clients', async () => {
    const token = await tokenOf('read:market')
    for (const era of ['modern', 'legacy'] as const) {
      const { client } = await connectModern(open.url, token, era)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['get_echo', 'get_slow'])
      const answer = await client.callTool({ name: 'get_echo', arguments: { text: 'x' } })
      expect(answer.structuredContent).toMatchObject({ principal: expect.stringMatching(/^oauth:/) })
      await client.close()
    }
    const { client } = await connectFirst(open.url, token)
    expect((await client.callTool({ name: 'get_echo', arguments: { text: 'x' } })).isError).not.toBe(true)
    await client.close()
  })

  it('lets a session of before go on with a token of more scopes, and with that alone', async () => {
    const [weak, strong] = [await tokenOf('read:market'), await tokenOf('read:market write:trade')]
    const { headers } = await ask(weak, { body: initialize('2025-06-18') })
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    const listed = {
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }),
      headers: session,
    }
    const statusWith = async (token: string) => (await ask(token, listed)).status
    expect(await statusWith(weak)).toBe(200)
    expect(await statusWith(await tokenOf('read:market write:trade', 'another'))).toBe(404)
    const { text } = await ask(strong, listed)
    expect(text).toContain('move_funds')
    const resources = {
      body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'prompts/list', params: {} }),
      headers: session,
    }
    expect((await ask(strong, resources)).status).toBe(200)
    expect(await statusWith(weak)).toBe(404)
    expect(await statusWith(strong)).toBe(200)
  })

  it('has no session shared between a scoped token and the static one, nor a call of a refused token made under it', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} })
    const [scoped, whole] = [await tokenOf('read:market'), open.keys.bearer]
    const opened = (token: string) => ask(token, { body: initialize() })
    for (const [owner, other] of [
      [scoped, whole],
      [whole, scoped],
    ] as const) {
      const headers = { 'mcp-session-id': String((await opened(owner)).headers['mcp-session-id']) }
      expect([(await ask(owner, { body, headers })).status, (await ask(other, { body, headers })).status]).toEqual([
        200, 404,
      ])
    }
    const fields = [
      ['host', 'localhost'],
      ['content-type', 'application/json'],
    ] as const
    for (const tokens of [
      [scoped, whole],
      [whole, scoped],
    ]) {
      const both = tokens.map((token) => ['authorization', `Bearer ${token}`] as const)
      expect((await rawExchange(open.port, rawBytes('POST /mcp', [...fields, ...both], body))).status).toBe(401)
    }
  })

  it('does not challenge who cannot step up, nor for what no scope would help', async () => {
    const echo = { ...call, params: { name: 'no_such_tool', arguments: {} } }
    const { status } = await ask(await tokenOf('read:market'), { body: JSON.stringify(echo) })
    expect(status).not.toBe(403)
    expect((await ask(open.keys.read)).status).not.toBe(403)
  })

  it('turns a caller away within a second whom the operator revoked, and lets it in again', async () => {
    const token = await tokenOf('read:market', 'leaver')
    const at = { path: '/mcp', headers: modern }
    const statusOf = async () => (await ask(token, at)).status
    expect(await statusOf()).toBe(403)
    const facts = { headers: {}, bearer: token }
    const outcome = await signIn.stages[0]!(facts)
    const { id, scopes, stage } = outcome as Principal
    expect(signIn.isInForce({ id, scopes, stage })).toBe(true)
    await signIns.revoke({ subject: id, by: 'operator', until: null })
    await expect.poll(statusOf, { timeout: 5_000 }).toBe(401)
    expect(signIn.isInForce({ id, scopes, stage })).toBe(false)
    await signIns.restore(id)
    await expect.poll(statusOf, { timeout: 5_000 }).toBe(403)
    expect(signIn.isInForce({ id: 'oauth:0000000000000000:0', scopes, stage })).toBe(false)
  })

  it('answers no call whose credentials were revoked while its body was on its way', async () => {
    const token = await tokenOf('read:market', 'slow')
    expect((await ask(token)).status).toBe(403)
    const { id } = (await signIn.stages[0]!({ headers: {}, bearer: token })) as Principal
    const bytes = rawBytes(
      'POST /mcp',
      [
        ['host', 'localhost'],
        ['authorization', `Bearer ${token}`],
        ['content-type', 'application/json'],
        // What comes then is said once the headers were taken.
        ['expect', '100-continue'],
      ],
      JSON.stringify(call),
    )
    const socket = connect(open.port, '127.0.0.1').setEncoding('utf8')
    let answer = ''
    socket.on('data', (part: string) => void (answer += part))
    socket.write(bytes.slice(0, -1))
    await expect.poll(() => answer).toContain('100 Continue')
    await signIns.revoke({ subject: id, by: 'operator', until: null })
    await expect.poll(async () => (await ask(token)).status).toBe(401)
    socket.write(bytes.slice(-1))
    await expect.poll(() => answer).toMatch(/HTTP\/1\.1 \d+ [^]*HTTP\/1\.1 \d+ /)
    expect(answer).toMatch(/HTTP\/1\.1 401 /)
    socket.destroy()
  })

  it('makes no key of its own', async () => {
    expect((await signIns.state()).keys).toEqual([])
  })
})
