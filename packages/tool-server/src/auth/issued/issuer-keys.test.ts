import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from './issuer.fixture.ts'
import { createIssuerKeys, type KeySource } from './issuer-keys.ts'

let issuer: TestIssuer
let now: number
let errors: unknown[]
beforeEach(async () => {
  issuer = await startIssuer()
  now = 1_800_000_000_000
  errors = []
})
afterEach(() => issuer.close())

const open = (source: KeySource = { keysUrl: issuer.keysUrl }, algorithms = ['ES256']) =>
  createIssuerKeys({ source, algorithms, fetch, now: () => now, onError: (error) => void errors.push(error) })
const minutes = (count: number) => void (now += count * 60_000)

describe('the keys of an issuer', () => {
  it('are fetched once for many who need them, and again when they are old', async () => {
    const keys = open()
    expect(issuer.asked).toEqual([])
    const found = await Promise.all(Array.from({ length: 20 }, () => keys.find('k1', 'ES256')))
    for (const key of found) expect(key).toMatchObject({ key: { type: 'public' } })
    expect(issuer.asked).toHaveLength(1)
    minutes(9)
    await keys.find('k1', 'ES256')
    expect(issuer.asked).toHaveLength(1)
    minutes(2)
    await keys.find('k1', 'ES256')
    expect(issuer.asked).toHaveLength(2)
  })

  it('are fetched again for an id that is new, and not for a thousand that are made up', async () => {
    const keys = open()
    await keys.find('k1', 'ES256')
    await issuer.makeKey('k2')
    minutes(1)
    expect(await keys.find('k2', 'ES256')).toMatchObject({ key: { type: 'public' } })
    expect(issuer.asked).toHaveLength(2)
    minutes(1)
    for (let index = 0; index < 1_000; index += 1) expect(await keys.find(`made-up-${index}`, 'ES256')).toBeNull()
    expect(issuer.asked).toHaveLength(3)
  })

  it('that are published no more are forgotten', async () => {
    const keys = open()
    await keys.find('k1', 'ES256')
    issuer.keys.clear()
    await issuer.makeKey('k2')
    minutes(11)
    expect(await keys.find('k1', 'ES256')).toBeNull()
  })

  it('stand for a day while the issuer does not answer, and no longer', async () => {
    const keys = open()
    await keys.find('k1', 'ES256')
    issuer.answers.set('/keys', () => ({ status: 503, body: '' }))
    minutes(60)
    expect(await keys.find('k1', 'ES256')).toMatchObject({ key: { type: 'public' } })
    expect(errors).toHaveLength(1)
    minutes(24 * 60)
    expect(await keys.find('k1', 'ES256')).toBe('unknown-now')
  })

  it.each([
    ['a redirect', () => ({ status: 302, body: '', headers: { location: '/elsewhere' } })],
    ['more than such documents have', () => ({ status: 200, body: `{"keys":[],"x":"${'x'.repeat(300_000)}"}` })],
    ['no JSON', () => ({ status: 200, body: '<html>' })],
    ['no keys', () => ({ status: 200, body: '{}' })],
    ['too many keys', () => ({ status: 200, body: JSON.stringify({ keys: Array.from({ length: 65 }, () => ({})) }) })],
  ])('are not read from %s', async (_name, answer) => {
    issuer.answers.set('/keys', answer)
    expect(await open().find('k1', 'ES256')).toBe('unknown-now')
    expect(errors).toHaveLength(1)
    expect(issuer.asked).toEqual(['/keys'])
  })

  it('of other algorithms, other uses and secrets are left out, and cost the others nothing', async () => {
    const good = issuer.keys.get('k1')!.jwk
    const jwks = [
      { ...good, kid: 'other-alg', alg: 'ES384' },
      { ...good, kid: 'enc', use: 'enc' },
      { kty: 'oct', k: 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0', kid: 'secret' },
      { ...good, kid: 'broken', x: '!' },
      { ...good, kid: 7 },
      null,
      { ...good, kid: 'plain', alg: undefined, use: undefined },
    ]
    issuer.answers.set('/keys', () => ({ status: 200, body: JSON.stringify({ keys: jwks }) }))
    const keys = open()
    for (const kid of ['other-alg', 'enc', 'secret', 'broken', '7']) expect(await keys.find(kid, 'ES256')).toBeNull()
    expect(await keys.find('plain', 'ES256')).toMatchObject({ key: { type: 'public' } })
    expect(await keys.find('plain', 'RS256')).toBeNull()
  })
})

describe('the metadata of an issuer', () => {
  it('says where its keys are, also where it is of OpenID Connect alone', async () => {
    expect(await open({ issuer: issuer.url }).find('k1', 'ES256')).toMatchObject({ key: { type: 'public' } })
    issuer.answers.set(
      '/.well-known/openid-configuration',
      issuer.answers.get('/.well-known/oauth-authorization-server')!,
    )
    issuer.answers.delete('/.well-known/oauth-authorization-server')
    expect(await open({ issuer: issuer.url }).find('k1', 'ES256')).toMatchObject({ key: { type: 'public' } })
  })

  it('is of no use where it is of another issuer, or has the keys fetched in the clear from elsewhere', async () => {
    const other = await startIssuer()
    for (const more of [{ issuer: `${issuer.url}/` }, { jwks_uri: other.keysUrl }, { jwks_uri: 7 }]) {
      const body = JSON.stringify({ issuer: issuer.url, jwks_uri: issuer.keysUrl, ...more })
      issuer.answers.set('/.well-known/oauth-authorization-server', () => ({ status: 200, body }))
      expect(await open({ issuer: issuer.url }).find('k1', 'ES256')).toBe('unknown-now')
    }
    expect(issuer.asked).not.toContain('/keys')
    expect(errors).toHaveLength(3)
    expect(other.asked).toEqual([])
    await other.close()
  })
})
