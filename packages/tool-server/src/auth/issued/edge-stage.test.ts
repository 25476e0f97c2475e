import { parsePolicy } from '@svc/engine/policy'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestServer } from '../../test-server.fixture.ts'
import { rawRequest } from '../../raw-http.fixture.ts'
import { createAuthenticate } from '../authenticate.ts'
import { bearerStage } from '../credentials.ts'
import { createEdgeStage } from './issued-tokens.ts'
import { encoded, type Header, startIssuer, type TestIssuer } from './issuer.fixture.ts'

const staticToken = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'
const service = '0a1b2c3d.access'
const start = 1_800_000_000_000
const silent = parsePolicy({}, { production: true })
const granting = parsePolicy({ signIn: { services: { [service]: ['write:trade'] } } }, { production: true })
const world = { now: start, policy: silent, epoch: 1, revoked: new Set<string>() }
let issuer: TestIssuer

beforeAll(async () => void (issuer = await startIssuer('RS256')))
afterAll(() => issuer.close())
beforeEach(() => void Object.assign(world, { now: start, policy: silent, epoch: 1, revoked: new Set() }))

const open = () => {
  const { url, keysUrl } = issuer
  const edge = { issuer: url, keysUrl, audiences: ['app-1'], tokenHeader: 'access-jwt-assertion' }
  const { stage } = createEdgeStage(edge, {
    state: { epoch: () => world.epoch, isRevoked: (subject) => world.revoked.has(subject), isFresh: () => true },
    policies: { latest: () => world.policy },
    now: () => world.now,
    fetch,
    onVerified: () => {},
    onError: () => {},
  })
  const authenticate = createAuthenticate([stage, bearerStage(staticToken)], () => world.now)
  return (token: string, more: object = {}) => authenticate({ 'access-jwt-assertion': token, ...more })
}
const claimsOf = (more: object = {}) => ({
  iss: issuer.url,
  aud: ['app-1'],
  sub: '',
  common_name: service,
  type: 'app',
  iat: start / 1_000,
  exp: start / 1_000 + 600,
  ...more,
})
const signed = (more: object = {}, header: Header = {}) => issuer.sign(claimsOf(more), header)

describe('the token of an access edge', () => {
  it('makes a principal that reads, and does what the policy grants to the service, felt with the next call', async () => {
    const judge = open()
    const token = await signed()
    const reading = { id: `edge-access:${service}`, stage: 'edge-access', tier: null, expiresAt: start + 600_000 }
    expect((await judge(token)).principal).toEqual({ ...reading, scopes: new Set(['read:market', 'read:portfolio']) })
    world.policy = granting
    expect((await judge(token)).principal?.scopes).toContain('write:trade')
    world.policy = silent
    expect((await judge(token)).principal?.scopes).not.toContain('write:trade')
    world.revoked.add(`edge-access:${service}`)
    world.epoch += 1
    expect(await judge(token)).toMatchObject({ description: 'The token was revoked.' })
    expect(issuer.asked).toEqual(['/keys'])
  })

  it('is taken after the edge changed its key, and the old one is not once it is withdrawn', async () => {
    const judge = open()
    const old = await signed({ jti: 'old' })
    await judge(await signed())
    await issuer.makeKey('k2')
    world.now += 31_000
    expect((await judge(await signed({}, { kid: 'k2' }))).principal).not.toBeNull()
    const key = issuer.keys.get('k1')!
    issuer.keys.delete('k1')
    world.now += 31_000
    await judge(await signed({}, { kid: 'made-up', by: key.privateKey }))
    expect(await judge(old)).toMatchObject({ description: 'The issuer has no such key.' })
    issuer.keys.set('k1', key)
    issuer.keys.delete('k2')
  })

  it.each([
    ['of another application', { aud: ['app-2'] }, /not for this server/],
    ['of two applications', { aud: ['app-1', 'app-2'] }, /not for this server/],
    ['of another team', { iss: 'https://other.example' }, /not valid/],
    ['that expired a second ago', { exp: start / 1_000 - 1 }, /expired/],
    ['of a person', { sub: '7335d417', common_name: undefined }, /service/],
    ['of a person who calls himself a service', { sub: '7335d417' }, /service/],
    ['of a name that could be another id', { common_name: 'a:b' }, /service/],
  ])('%s is refused', async (_name, more, description) => {
    expect(await open()(await signed(more))).toMatchObject({
      principal: null,
      reason: 'refused',
      description: expect.stringMatching(description),
    })
  })

  it('is refused by another algorithm, another key, and with a way to a key', async () => {
    const judge = open()
    const [, payload] = (await signed()).split('.')
    const own = await generateKeyPair('RS256', { extractable: true })
    for (const token of [
      `${encoded({ alg: 'none', kid: 'k1' })}.${payload}.`,
      await signed({}, { by: own.privateKey }),
      await signed({}, { by: own.privateKey, jwk: await exportJWK(own.publicKey) }),
      await signed({}, { jku: `${issuer.url}/keys` }),
      await signed({}, { typ: 'at+jwt' }),
      'not a token',
      'x'.repeat(9_000),
    ]) {
      expect(await judge(token)).toMatchObject({ principal: null, reason: 'refused' })
    }
  })

  it('sent twice is refused, and credentials of its own judge a request alone', async () => {
    const judge = open()
    const token = await signed()
    expect((await judge(`${token}, ${token}`)).principal).toBeNull()
    expect((await judge(token, { authorization: `Bearer ${staticToken}` })).principal?.stage).toBe('bearer')
    expect((await judge(token, { authorization: 'Bearer wrong' })).principal).toBeNull()
  })
})

describe('a server without an edge', () => {
  it('makes nothing of the header, and refuses the secret of a client in words', async () => {
    const { server, port, keys } = await openTestServer({ env: { SVC_EDGE_SECRET_HEADER: 'CF-Access-Client-Secret' } })
    try {
      const ask = (headers: Readonly<Record<string, string>>) => rawRequest(port, { headers })
      expect((await ask({ 'access-jwt-assertion': await signed() })).json).toMatchObject({
        code: 'AUTHENTICATION_REQUIRED',
        message: 'No credentials were sent.',
      })
      for (const name of ['Access-Client-Secret', 'cf-access-client-secret']) {
        for (const more of [{}, { authorization: `Bearer ${keys.write}` }]) {
          const { status, json } = await ask({ [name]: 'canary-secret', ...more })
          expect([status, (json as { message: string }).message]).toEqual([
            401,
            expect.stringMatching(/belongs to the edge/),
          ])
          expect(JSON.stringify(json)).not.toContain('canary')
        }
      }
      // It comes as far as its empty body.
      expect((await ask({ authorization: `Bearer ${keys.read}` })).status).toBe(400)
    } finally {
      await server.close()
    }
  })
})
