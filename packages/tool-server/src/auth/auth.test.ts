import { describe, expect, it } from 'vitest'
import { testTools } from '../test-server.fixture.ts'
import type { Tool } from '../tool.ts'
import { apiKeyFrom, apiKeyStage, keyTiers, bearerStage } from './credentials.ts'
import { createAuthenticate, type Stage } from './authenticate.ts'
import { localPrincipal } from '../transports/stdio.ts'
import { may } from '../dispatch/offered-tools.ts'
import { type KeyTier, type Principal, type Scope, scopes } from '@svc/engine'

const keys = Object.fromEntries(
  keyTiers.map((tier, index) => [tier, apiKeyFrom(tier, new Uint8Array(32).fill(index + 1))]),
) as Record<KeyTier, string>
const token = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'
const authenticate = createAuthenticate([apiKeyStage(keys), bearerStage(token)], () => 1_000)
const principalOf = async (authorization: string | undefined) =>
  (await authenticate(authorization === undefined ? {} : { authorization })).principal

describe('authentication', () => {
  it('gives a key the tier and the scopes of the key that matches', async () => {
    expect(await principalOf(`Bearer ${keys.read}`)).toMatchObject({ stage: 'api-key', tier: 'read' })
    expect([...(await principalOf(`bearer  ${keys.feedback}`))!.scopes]).toEqual([
      'read:market',
      'read:portfolio',
      'feedback',
    ])
    expect((await principalOf(`Bearer ${keys.write}`))!.scopes.size).toBe(scopes.length)
  })

  it('gives the static token every scope and no tier', async () => {
    expect(await principalOf(`Bearer ${token}`)).toMatchObject({ stage: 'bearer', tier: null })
  })

  it('names principals without secrets, each differently', async () => {
    const all = await Promise.all([...Object.values(keys), token].map((key) => principalOf(`Bearer ${key}`)))
    const ids = all.map((principal) => principal!.id)
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^(api-key|bearer):[0-9a-f]{16}$/)
  })

  it.each([
    ['nothing', undefined, 'missing'],
    ['no scheme', keys.read, 'refused'],
    ['another scheme', `Basic ${keys.read}`, 'refused'],
    ['an unknown key', `Bearer ${keys.read.slice(0, -1)}x`, 'refused'],
    ['a read key under a write prefix', `Bearer ${keys.read.replace('read', 'write')}`, 'refused'],
    ['an unknown token', `Bearer ${token}x`, 'refused'],
    ['two tokens', `Bearer ${token} ${token}`, 'refused'],
    ['a huge header', `Bearer ${'x'.repeat(100_000)}`, 'refused'],
  ])('refuses %s', async (_name, authorization, reason) => {
    expect(await authenticate(authorization === undefined ? {} : { authorization })).toMatchObject({
      principal: null,
      reason,
    })
  })

  it('asks no later stage once one has refused, and all of them until one knows the caller', async () => {
    const asked: string[] = []
    const stage =
      (name: string, outcome: Awaited<ReturnType<Stage>>): Stage =>
      () => {
        asked.push(name)
        return outcome
      }
    const refusing = createAuthenticate(
      [stage('a', null), stage('b', { refused: 'No.' }), stage('c', localPrincipal)],
      () => 0,
    )
    expect(await refusing({ authorization: 'Bearer x' })).toMatchObject({ reason: 'refused', description: 'No.' })
    expect(asked).toEqual(['a', 'b'])
  })

  it('refuses a principal whose time is over', async () => {
    const expired: Stage = () => ({ ...localPrincipal, expiresAt: 1_000 })
    const outcome = await createAuthenticate([expired], () => 1_000)({ authorization: 'Bearer x' })
    expect(outcome).toMatchObject({ principal: null, reason: 'refused' })
  })

  it('makes keys of 256 bits only', () => {
    expect(keys.write).toMatch(/^svc_write_[A-Za-z0-9_-]{43}$/)
    expect(() => apiKeyFrom('read', new Uint8Array(16))).toThrow(RangeError)
  })
})

describe('what a principal may call', () => {
  const [read, write] = [testTools[1]!, testTools[3]!]
  const record: Tool = { ...read, access: 'record', tier: 'feedback', scope: 'feedback' }
  const safetyStatus: Tool = { ...read, scope: 'admin:wallet' }
  const tiered = (tier: KeyTier): Principal => ({ ...localPrincipal, tier, scopes: new Set() })
  const scoped = (...of: Scope[]): Principal => ({ ...localPrincipal, scopes: new Set(of) })

  it.each([
    ['read', [true, false, false, true]],
    ['feedback', [true, true, false, true]],
    ['write', [true, true, true, true]],
  ] as const)('is decided by the tier of a %s key', (tier, expected) => {
    expect([read, record, write, safetyStatus].map((tool) => may(tiered(tier), tool))).toEqual(expected)
  })

  it('is decided by the scopes of a scoped token', () => {
    expect([read, record, write, safetyStatus].map((tool) => may(scoped('read:market'), tool))).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect([read, record, write, safetyStatus].map((tool) => may(scoped('write:trade', 'admin:wallet'), tool))).toEqual(
      [false, false, true, true],
    )
    expect(may(scoped(), read)).toBe(false)
  })
})
