import { createHmac } from 'node:crypto'
import { parsePolicy } from '@svc/engine/policy'
import { exportSPKI, generateKeyPair, importJWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAuthenticate } from '../authenticate.ts'
import { bearerStage } from '../credentials.ts'
import { createHeldAnswers } from '../sign-in/sign-in.ts'
import { encoded, startIssuer, type TestIssuer } from './issuer.fixture.ts'
import { isOfIssuer } from './protected-resource.ts'
import { createOAuthStage } from './issued-tokens.ts'

const audience = 'https://mcp.example.com/mcp'
const staticToken = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'
const start = 1_800_000_000_000
const world = { now: start, epoch: 1, revoked: new Set<string>(), fresh: true, seen: [] as object[] }
let [issuer, second] = [] as unknown as [TestIssuer, TestIssuer]

beforeAll(async () => {
  issuer = await startIssuer()
  second = await startIssuer()
})
afterAll(() => Promise.all([issuer.close(), second.close()]))
beforeEach(() => void Object.assign(world, { now: start, epoch: 1, revoked: new Set(), fresh: true, seen: [] }))

const issuers = () => [issuer, second].map(({ url, keysUrl }) => ({ issuer: url, algorithms: ['ES256'], keysUrl }))
const open = (known = staticToken) => {
  const policy = parsePolicy({}, { production: true })
  const { stage, isRevoked } = createOAuthStage(issuers(), {
    state: {
      epoch: () => world.epoch,
      isRevoked: (subject) => world.revoked.has(subject),
      isFresh: () => world.fresh,
    },
    policies: { latest: () => policy },
    now: () => world.now,
    audience: () => audience,
    fetch,
    onVerified: (facts) => void world.seen.push(facts),
    onError: (error) => void world.seen.push({ error }),
  })
  const authenticate = createAuthenticate([stage, bearerStage(known)], () => world.now)
  return {
    isRevoked,
    judge: (token: string) => authenticate({ authorization: `Bearer ${token}` }),
    raw: (authorization: string) => authenticate({ authorization }),
  }
}
const claimsOf = (more: object = {}) => ({
  iss: issuer.url,
  aud: audience,
  sub: 'somebody',
  client_id: 'a-program',
  scope: 'read:market write:trade openid',
  iat: start / 1_000,
  exp: start / 1_000 + 600,
  jti: 'j1',
  ...more,
})
const signed = (more: object = {}, header: object = {}) => issuer.sign(claimsOf(more), { typ: 'at+jwt', ...header })
const refusalOf = async (token: string) => {
  const outcome = await open().judge(token)
  return outcome.principal === null && outcome.reason === 'refused' ? outcome.description : null
}

describe('an access token', () => {
  it('makes a principal of its scopes, among ours, until its very end', async () => {
    const { judge } = open()
    const token = await signed()
    const { principal } = await judge(token)
    expect(principal).toEqual({
      id: expect.stringMatching(/^oauth:[0-9a-f]{16}:[0-9a-f]{32}$/),
      stage: 'oauth',
      tier: null,
      scopes: new Set(['read:market', 'write:trade']),
      expiresAt: start + 600_000,
    })
    expect(isOfIssuer(principal!, issuers())).toBe(true)
    expect(isOfIssuer(principal!, [issuers()[1]!])).toBe(false)
    expect(() => parsePolicy({ principals: { [principal!.id]: {} } }, { production: true })).not.toThrow()
    world.now = start + 599_999
    expect((await judge(token)).principal).not.toBeNull()
    world.now = start + 600_000
    expect((await judge(token)).principal).toBeNull()
    expect(world.seen).toEqual([expect.objectContaining({ subject: 'somebody', client: 'a-program', stage: 'oauth' })])
    expect(JSON.stringify(world.seen)).not.toContain(token.slice(0, 40))
  })

  it('is verified once; each call holds it against revocations', async () => {
    const { judge, isRevoked } = open()
    const token = await signed()
    const { principal } = await judge(token)
    expect((await judge(token)).principal).toBe(principal)
    expect(isRevoked(principal!)).toBe(false)
    world.fresh = false
    expect((await judge(token)).principal).toBeNull()
    world.fresh = true
    world.revoked.add(principal!.id)
    world.epoch += 1
    expect(await judge(token)).toMatchObject({ description: 'The token was revoked.' })
    expect(isRevoked(principal!)).toBe(true)
    world.revoked.clear()
    world.epoch += 1
    expect((await judge(token)).principal).toBe(principal)
    expect(world.seen).toHaveLength(1)
  })

  it('is verified again after ten minutes, and no longer taken where its key was withdrawn, however long it would last', async () => {
    const { judge } = open()
    await issuer.makeKey('stolen')
    const token = await signed({ exp: start / 1_000 + 1_000_000 }, { kid: 'stolen' })
    const { principal } = await judge(token)
    expect(principal).not.toBeNull()
    issuer.keys.delete('stolen')
    world.now += 9 * 60_000
    expect((await judge(token)).principal).toBe(principal)
    world.now += 2 * 60_000
    expect(await judge(token)).toMatchObject({ description: 'The issuer has no such key.' })
  })

  it('ends with its key as soon as the issuer is known to have withdrawn that: in calls, and in streams that its principal holds open', async () => {
    const { judge, isRevoked } = open()
    await issuer.makeKey('stolen')
    const token = await signed({ exp: start / 1_000 + 1_000_000 }, { kid: 'stolen' })
    const { principal } = await judge(token)
    const ended: string[] = []
    const held = createHeldAnswers({ isRevoked, isInForce: () => true, now: () => world.now })
    for (const kind of ['stream', 'answer'] as const)
      held.hold(principal!, { on: () => {}, destroy: () => ended.push(kind) }, kind)
    issuer.keys.delete('stolen')
    held.breakOff()
    expect([(await judge(token)).principal, ended]).toEqual([principal, []])
    // Somebody else's token names a key that is not known, so that the keys are read again.
    world.now += 31_000
    await judge(await signed({}, { kid: 'new', by: issuer.keys.get('k1')!.privateKey }))
    expect(await judge(token)).toMatchObject({ description: expect.stringContaining('not accepted any more') })
    held.breakOff()
    expect(ended).toEqual(['stream', 'answer'])
  })

  it('ends with its key where the issuer has given its id to a new one; what was signed by that is taken', async () => {
    const { judge, isRevoked } = open()
    await issuer.makeKey('twice')
    const token = await signed({}, { kid: 'twice' })
    const { principal } = await judge(token)
    await issuer.makeKey('twice')
    world.now += 31_000
    expect(isRevoked(principal!)).toBe(false)
    await judge(await signed({}, { kid: 'new', by: issuer.keys.get('k1')!.privateKey }))
    expect(isRevoked(principal!)).toBe(true)
    expect(await judge(token)).toMatchObject({ description: expect.stringContaining('not accepted any more') })
    expect((await judge(await signed({ jti: 'j2' }, { kid: 'twice' }))).principal).not.toBeNull()
  })

  it('by a key that has replaced another under its id is taken at once, and what the old one signed ends; bad signatures have the keys read again twice a minute, and once for many', async () => {
    const { judge, isRevoked } = open()
    await issuer.makeKey('reused')
    const token = await signed({}, { kid: 'reused' })
    const { principal } = await judge(token)
    await issuer.makeKey('reused')
    const byNew = await signed({ jti: 'j2' }, { kid: 'reused' })
    const by = second.keys.get('k1')!.privateKey
    const forged = await Promise.all(
      Array.from({ length: 20 }, (_, index) => signed({ jti: `f${index}` }, { kid: 'reused', by })),
    )
    world.now += 31_000
    const asked = issuer.asked.length
    const outcomes = await Promise.all([...forged, byNew].map(judge))
    expect(outcomes.map(({ principal: found }) => found !== null)).toEqual([...forged.map(() => false), true])
    expect([isRevoked(principal!), (await judge(token)).principal]).toEqual([true, null])
    for (const one of forged) expect(await judge(one)).toMatchObject({ description: 'The token is not valid here.' })
    expect(issuer.asked).toHaveLength(asked + 1)
    world.now += 31_000
    for (const one of forged) expect(await judge(one)).toMatchObject({ description: 'The token is not valid here.' })
    expect(issuer.asked).toHaveLength(asked + 2)
    expect((await judge(byNew)).principal).not.toBeNull()
  })

  it('is taken again half a minute after its issuer answered once without its key', async () => {
    const { judge } = open()
    const token = await signed()
    const { principal } = await judge(token)
    const published = issuer.answers.get('/keys')!
    issuer.answers.set('/keys', () => ({ status: 200, body: '{"keys":[]}' }))
    world.now += 31_000
    await judge(await signed({}, { kid: 'new', by: issuer.keys.get('k1')!.privateKey }))
    issuer.answers.set('/keys', published)
    const asked = issuer.asked.length
    for (let call = 0; call < 9; call += 1)
      expect(await judge(token)).toMatchObject({ description: expect.stringContaining('not accepted any more') })
    expect(issuer.asked).toHaveLength(asked)
    world.now += 31_000
    await expect.poll(async () => (await judge(token)).principal).toBe(principal)
    expect(issuer.asked).toHaveLength(asked + 1)
  })

  it('has the keys of its issuer read again by a stream that says nothing, once they are old', async () => {
    const { judge, isRevoked } = open()
    await issuer.makeKey('stolen')
    const { principal } = await judge(await signed({ exp: start / 1_000 + 1_000_000 }, { kid: 'stolen' }))
    issuer.keys.delete('stolen')
    world.now += 9 * 60_000
    expect(isRevoked(principal!)).toBe(false)
    world.now += 2 * 60_000
    await expect.poll(() => isRevoked(principal!)).toBe(true)
  })

  it('of the same person by another program, at another issuer, or of a program named as a person, is another caller', async () => {
    const { judge } = open()
    const idOf = async (token: string) => (await judge(token)).principal?.id
    const ids = [
      await idOf(await signed()),
      await idOf(await signed({ client_id: 'another' })),
      await idOf(await signed({ client_id: 'somebody' })),
      await idOf(await second.sign(claimsOf({ iss: second.url }), { typ: 'at+jwt' })),
    ]
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(4)
    expect(await idOf(await signed({ jti: 'j2', scope: 'feedback' }))).toBe(ids[0])
  })

  it.each([
    ['of another server', { aud: 'https://other.example.com/mcp' }, /not for this server/],
    ['of this server among others', { aud: [audience, 'https://other.example.com/mcp'] }, /not for this server/],
    ['of a look-alike', { aud: `${audience}/` }, /not for this server/],
    ['for nobody', { aud: undefined }, /not for this server/],
    ['that expired a second ago', { exp: start / 1_000 - 1 }, /expired/],
    ['that expires now', { exp: start / 1_000 }, /expired/],
    ['without an end', { exp: undefined }, /not valid/],
    ['with an end that is no time', { exp: 1e15 }, /no time/],
    ['without a beginning', { iat: undefined }, /not valid/],
    ['of a clock that is more than a minute ahead', { iat: start / 1_000 + 61 }, /time to come/],
    ['that is not good yet', { nbf: start / 1_000 + 61 }, /not valid/],
    ['bound to a key of its holder (DPoP)', { cnf: { jkt: 'thumbprint' } }, /bound to a key/],
    ['bound to a certificate of its holder', { cnf: { 'x5t#S256': 'thumbprint' } }, /bound to a key/],
    ['without a subject', { sub: undefined }, /no access token/],
    ['without a client', { client_id: undefined }, /no access token/],
  ])('%s is refused', async (_name, more, description) => {
    expect(await refusalOf(await signed(more))).toMatch(description)
  })

  it('of a clock that is a minute ahead is taken', async () => {
    expect(await refusalOf(await signed({ iat: start / 1_000 + 60, nbf: start / 1_000 + 60 }))).toBeNull()
  })

  it('is refused under any other algorithm: none, and a public key taken for a secret', async () => {
    const [header, payload] = (await signed()).split('.')
    for (const alg of ['none', 'None', '']) {
      expect(await refusalOf(`${encoded({ alg, kid: 'k1', typ: 'at+jwt' })}.${payload}.`)).toMatch(/form/)
    }
    const { jwk } = issuer.keys.get('k1')!
    const body = `${encoded({ alg: 'HS256', kid: 'k1', typ: 'at+jwt' })}.${payload}`
    for (const secret of [JSON.stringify(jwk), await exportSPKI((await importJWK(jwk, 'ES256')) as never)]) {
      expect(await refusalOf(`${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`)).toMatch(
        /form/,
      )
    }
    expect(await refusalOf(`${header}.${payload}.`)).toMatch(/not valid/)
  })

  it('by an algorithm that is not pinned for its issuer is refused, though its key is published', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES384', { extractable: true })
    issuer.keys.set('k384', { privateKey, jwk: { ...(await jwkOf(publicKey)), kid: 'k384', alg: 'ES384' } })
    expect(await refusalOf(await signed({}, { alg: 'ES384', kid: 'k384' }))).toMatch(/form/)
    issuer.keys.delete('k384')
  })

  it('under the key of another issuer is refused, named as either', async () => {
    const by = second.keys.get('k1')!.privateKey
    expect(await refusalOf(await signed({}, { by }))).toMatch(/not valid/)
    expect(await refusalOf(await signed({ iss: second.url }))).toMatch(/not valid/)
    expect(await refusalOf(await signed({ iss: second.url }, { by }))).toBeNull()
  })

  it('that brings its key, or says where one is, is refused, and nothing is fetched from there', async () => {
    const own = await generateKeyPair('ES256', { extractable: true })
    const jwk = await jwkOf(own.publicKey)
    second.answers.set('/evil', () => ({ status: 200, body: JSON.stringify({ keys: [{ ...jwk, kid: 'k1' }] }) }))
    const place = `${second.url}/evil`
    for (const header of [{ jwk }, { jku: place }, { x5u: place }, { x5c: ['MII='] }, { crit: ['b64'], b64: true }]) {
      expect(await refusalOf(await signed({}, { ...header, by: own.privateKey }))).not.toBeNull()
      expect(await refusalOf(await signed({}, header))).toMatch(/form/)
    }
    expect(second.asked).not.toContain('/evil')
  })

  it.each(['', '../../etc/passwd', "' or 1=1 --", '__proto__', 'constructor', 'k'.repeat(300), 'ES256 k1'])(
    'under the key id %j is refused',
    async (kid) => {
      const by = issuer.keys.get('k1')!.privateKey
      expect(await refusalOf(await signed({}, { kid, by }))).not.toBeNull()
    },
  )

  it('whose key id is an address is refused, and nothing is fetched from there', async () => {
    const by = issuer.keys.get('k1')!.privateKey
    expect(await refusalOf(await signed({}, { kid: `${second.url}/evil`, by }))).toMatch(/no such key/)
    expect(second.asked).not.toContain('/evil')
  })

  it.each([['JWT'], [undefined], ['logout+jwt'], ['at+jwt2']])('of the type %s is refused', async (typ) => {
    expect(await refusalOf(await signed({}, { typ }))).toMatch(/type/)
  })

  it('of the type in full is taken', async () => {
    expect(await refusalOf(await signed({}, { typ: 'application/at+jwt' }))).toBeNull()
  })

  it('that is refused is not taken for the static one, nor is one that is sent beside it', async () => {
    const { judge, raw } = open()
    const token = await signed({ exp: start / 1_000 - 1 })
    expect(await judge(token)).toMatchObject({ principal: null, reason: 'refused' })
    for (const header of [`Bearer ${token}, Bearer ${staticToken}`, `Bearer ${staticToken}, Bearer ${token}`]) {
      expect(await raw(header)).toMatchObject({ principal: null, reason: 'refused' })
    }
    expect((await judge(staticToken)).principal).toMatchObject({ stage: 'bearer' })
    // Were it the static token to the letter, whoever names an issuer is judged by that one's rules alone.
    expect(await open(token).judge(token)).toMatchObject({ principal: null, description: 'The token has expired.' })
  })

  it('of an issuer that is not named is none of this stage', async () => {
    const outcome = await open().judge(await signed({ iss: 'https://elsewhere.example' }))
    expect(outcome).toMatchObject({ principal: null, description: 'The token is not valid.' })
  })
})

async function jwkOf(key: Awaited<ReturnType<typeof generateKeyPair>>['publicKey']) {
  const { exportJWK } = await import('jose')
  return exportJWK(key)
}
