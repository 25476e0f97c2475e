import { createHmac } from 'node:crypto'
import type { PublishedKey, SignIns } from '@svc/store'
import type { Principal, Scope } from '@svc/engine'
import { parsePolicy } from '@svc/engine/policy'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSignInStage } from './open-wallets.ts'
import {
  createVerificationKeys,
  makeSigningKey,
  type SigningKey,
  claimsOf,
  signToken,
  type TokenClaims,
  tokenLifeSeconds,
  verifyToken,
} from './tokens.ts'

const place = { issuer: 'https://mcp.example.com', audience: 'https://mcp.example.com/mcp' }
const address = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const start = 1_800_000_000_000
let now = start
const published: PublishedKey[] = []
const publisher: Pick<SignIns, 'publishKey'> = {
  publishKey: async (key) => void published.push({ ...key, createdAt: now }),
}
const keys = createVerificationKeys(() => now)
let key: SigningKey
let claims: TokenClaims
let token: string

beforeAll(async () => {
  key = await makeSigningKey(publisher, start + 3_600_000)
  await keys.update(published)
  const caller = {
    address,
    agentId: '8453:17',
    role: 'vault_manager',
    scopes: new Set<Scope>(['read:market', 'write:trade']),
  } as const
  claims = claimsOf({ place, issuedAt: start }, caller)
  token = await signToken(claims, key)
})
beforeEach(() => void (now = start))

const verify = (text: string) => verifyToken(text, { keys, place, now: () => now })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const headerOf = (more: object = {}) => ({ alg: 'ES256', kid: key.kid, typ: 'at+jwt', ...more })
/** Signed by our own key, so that nothing but what the test changes can be wrong with it. */
const signed = (more: object, header: object = {}, by: CryptoKey = key.privateKey) =>
  new SignJWT({ ...claims, ...more }).setProtectedHeader(headerOf(header)).sign(by)

describe('a token', () => {
  it('is taken with exactly the claims it was issued with, until its very end and no longer', async () => {
    expect(await verify(token)).toEqual(claims)
    expect(Object.keys(claims).toSorted()).toEqual(
      ['address', 'agentId', 'aud', 'exp', 'iat', 'iss', 'jti', 'role', 'scopes', 'sub', 'tier'].toSorted(),
    )
    now = start + tokenLifeSeconds * 1_000 - 1
    expect(await verify(token)).toEqual(claims)
    now += 1
    expect(await verify(token)).toBeNull()
  })

  it('is refused when it expired a second ago, by whichever clock', async () => {
    now = start + (tokenLifeSeconds + 1) * 1_000
    expect(await verify(token)).toBeNull()
  })

  it('of a replica whose clock is ahead is taken within a minute, and not beyond', async () => {
    now = start - 60_000
    expect(await verify(token)).toEqual(claims)
    now -= 1
    expect(await verify(token)).toBeNull()
  })

  it.each([
    ['of another server', { aud: 'https://other.example.com/mcp' }],
    ['of this server among others', { aud: [place.audience, 'https://other.example.com/mcp'] }],
    ['of a look-alike', { aud: 'https://mcp.example.com./mcp' }],
    ['for nobody', { aud: undefined }],
    ['from another issuer', { iss: 'https://other.example.com' }],
    ['without an end', { exp: undefined }],
    ['that lasts longer than ours', { exp: Math.floor(start / 1_000) + tokenLifeSeconds + 1 }],
    ['without a beginning', { iat: undefined }],
    ['without a name', { jti: undefined }],
    ['for another address than its subject', { address: '0x28A26b86BC35c5686276Cf5F862C8a271A59C974' }],
    ['with a scope that nobody has', { scopes: ['root'] }],
    ['with a claim that is none of ours', { admin: true }],
    ['that is not good yet', { nbf: Math.floor(start / 1_000) + 1 }],
  ])('%s is refused', async (_name, more) => {
    expect(await verify(await signed(more))).toBeNull()
  })

  it('is refused by any other algorithm: none, and the public key taken for a secret', async () => {
    const [, payload] = token.split('.')
    const unsigned = (header: object) => `${encode(headerOf(header))}.${payload}`
    for (const alg of ['none', 'None', 'NONE', '']) expect(await verify(`${unsigned({ alg })}.`)).toBeNull()
    const body = unsigned({ alg: 'HS256' })
    for (const secret of [key.publicJwk, JSON.stringify(await exportJWK(await publicKey())), key.kid]) {
      const mac = createHmac('sha256', secret).update(body).digest('base64url')
      expect(await verify(`${body}.${mac}`)).toBeNull()
    }
    expect(await verify(`${unsigned({})}.`)).toBeNull()
    expect(await verify(token.slice(0, -4))).toBeNull()
  })

  it('is refused with a key of its own in the header, or a way to one, whatever it is signed with', async () => {
    const own = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(own.publicKey)
    for (const header of [
      { jwk },
      { jku: 'http://127.0.0.1:9/keys' },
      { x5u: 'http://127.0.0.1:9/cert' },
      { x5c: ['MII='] },
    ]) {
      expect(await verify(await signed({}, header, own.privateKey))).toBeNull()
      expect(await verify(await signed({}, header))).toBeNull()
    }
    expect(await verify(await signed({}, {}, own.privateKey))).toBeNull()
  })

  it.each(['', '../../etc/passwd', "' or 1=1 --", '__proto__', 'constructor', 'k'.repeat(2_000)])(
    'is refused under the key id %j',
    async (kid) => {
      expect(await verify(await signed({}, { kid }))).toBeNull()
    },
  )

  it('of another type is refused, and under a key whose time is over', async () => {
    expect(await verify(await signed({}, { typ: 'JWT' }))).toBeNull()
    expect(await verify(await signed({}, { typ: undefined }))).toBeNull()
    const short = await makeSigningKey(publisher, start + 1)
    await keys.update(published)
    const stranger = { address, agentId: null, role: null, scopes: new Set<Scope>() }
    const other = await signToken(claimsOf({ place, issuedAt: start }, stranger), short)
    expect(await verify(other)).not.toBeNull()
    expect((JSON.parse(keys.jwks()) as { keys: unknown[] }).keys).toHaveLength(2)
    now += 1
    expect(await verify(other)).toBeNull()
    expect((JSON.parse(keys.jwks()) as { keys: unknown[] }).keys).toHaveLength(1)
  })

  it('has a private key that nothing reads out, and publishes the public one alone', async () => {
    await expect(exportJWK(key.privateKey)).rejects.toThrow(/extractable/)
    expect(Object.keys(JSON.parse(key.publicJwk) as object)).toEqual(['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'])
  })
})

describe('the stage of such tokens', () => {
  const granting = parsePolicy({ signIn: { wallets: { [address]: ['write:trade'] } } }, { production: true })
  const silent = parsePolicy({}, { production: true })
  const world = { policy: granting, epoch: 1, revoked: new Set<string>(), fresh: true, looks: 0 }
  const open = () =>
    createSignInStage({
      state: {
        keys,
        epoch: () => world.epoch,
        isRevoked: (subject) => world.revoked.has(subject),
        isFresh: () => world.fresh,
        nextLook: async () => void (world.looks += 1),
      },
      place: () => place,
      policies: { latest: () => world.policy },
      now: () => now,
    })
  const stage = () => open().stage
  beforeEach(() => void Object.assign(world, { policy: granting, epoch: 1, revoked: new Set(), fresh: true, looks: 0 }))

  it('leaves what is none of its own to others, and refuses whatever claims to be', async () => {
    const ask = stage()
    for (const bearer of [null, 'svc_read_x', 'a.b.c', await signed({ iss: 'https://other.example.com' })]) {
      expect(await ask({ bearer, headers: {} })).toBeNull()
    }
    const [header, payload] = token.split('.')
    expect(await ask({ bearer: `${header}.${payload}.`, headers: {} })).toHaveProperty('refused')
    expect(world.looks).toBe(0)
    expect(await ask({ bearer: await signed({}, { kid: 'new' }), headers: {} })).toHaveProperty('refused')
    expect(world.looks).toBe(1)
  })

  it('verifies a signature once, and holds each call against revocations, policy and time', async () => {
    const ask = stage()
    const judged = async () => ask({ bearer: token, headers: {} })
    expect(await judged()).toMatchObject({
      stage: 'siwe',
      tier: null,
      agentId: '8453:17',
      scopes: new Set(['read:market', 'write:trade']),
    })
    // The same object: it was not verified, nor made, again.
    expect(await judged()).toBe(await judged())
    world.policy = silent
    expect(await judged()).toMatchObject({ scopes: new Set(['read:market']) })
    world.policy = granting
    expect(await judged()).toMatchObject({ scopes: new Set(['read:market', 'write:trade']) })
    world.fresh = false
    expect(await judged()).toHaveProperty('refused')
    world.fresh = true
    world.revoked.add(`jti:${claims.jti}`)
    world.epoch += 1
    expect(await judged()).toMatchObject({ refused: 'The token was revoked.' })
    expect(await judged()).toMatchObject({ refused: 'The token was revoked.' })
    world.revoked = new Set([`address:${address}`])
    world.epoch += 1
    expect(await judged()).toMatchObject({ refused: 'The token was revoked.' })
    world.revoked = new Set()
    world.epoch += 1
    expect(await judged()).toMatchObject({ stage: 'siwe' })
    expect(world.looks).toBe(0)
    now = start + tokenLifeSeconds * 1_000
    expect(await judged()).toHaveProperty('refused')
  })

  it('refuses a token whose signature it had verified once the key is taken out, or its overlap is over', async () => {
    const other = await makeSigningKey(publisher, start + 1_000)
    await keys.update(published)
    const caller = { address, agentId: null, role: null, scopes: new Set<Scope>(['read:market']) } as const
    const bearer = await signToken(claimsOf({ place, issuedAt: start }, caller), other)
    const opened = open()
    const judged = async () => opened.stage({ bearer, headers: {} })
    const principal = (await judged()) as Principal
    expect([principal.stage, opened.isRevoked(principal)]).toEqual(['siwe', false])
    await keys.update(published.filter(({ kid }) => kid !== other.kid))
    expect(await judged()).toMatchObject({ refused: expect.stringContaining('key') })
    // What is held by an open stream is asked about in this way.
    expect(opened.isRevoked(principal)).toBe(true)
    await keys.update(published)
    expect([await judged(), opened.isRevoked(principal)]).toEqual([principal, false])
    now = start + 1_000
    expect(await judged()).toMatchObject({ refused: expect.stringContaining('key') })
    expect(opened.isRevoked(principal)).toBe(true)
    // Its sibling under the key of before goes on.
    expect(await opened.stage({ bearer: token, headers: {} })).toMatchObject({ stage: 'siwe' })
  })
})

async function publicKey(): Promise<CryptoKey> {
  return (await importJWK(JSON.parse(key.publicJwk) as object, 'ES256', { extractable: true })) as CryptoKey
}
