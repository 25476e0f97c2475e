import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Principal } from '@svc/engine'
import { parsePolicy } from '@svc/engine/policy'
import { openStore } from '@svc/store'
import { afterEach, expect, it } from 'vitest'
import { localPrincipal } from '../../transports/stdio.ts'
import { startIssuer } from '../issued/issuer.fixture.ts'
import { createHeldAnswers, type SignIn } from './sign-in.ts'
import { openSignIn } from './open-sign-in.ts'

it('ends streams with the time of their credentials, calls only with their revocation, and forgets what has ended', () => {
  let now = 0
  const revoked = new Set<string>()
  const destroyed: string[] = []
  const held = createHeldAnswers({ isRevoked: ({ id }) => revoked.has(id), isInForce: () => true, now: () => now })
  const open = (id: string, kind: 'answer' | 'stream', expiresAt: number | null = 1_000) => {
    const response = new EventEmitter()
    const destroy = () => {
      destroyed.push(`${id} ${kind}`)
      response.emit('close')
    }
    Object.assign(response, { destroy })
    held.hold({ ...localPrincipal, id, expiresAt }, response as unknown as ServerResponse, kind)
    return response
  }
  open('ann', 'stream')
  open('ann', 'answer')
  open('bob', 'stream', null)
  const gone = open('cid', 'stream')
  gone.emit('close')
  now = 999
  held.breakOff()
  expect(destroyed).toEqual([])
  now = 1_000
  held.breakOff()
  held.breakOff()
  expect(destroyed).toEqual(['ann stream'])
  revoked.add('ann').add('bob').add('cid')
  held.breakOff()
  held.breakOff()
  expect(destroyed).toEqual(['ann stream', 'ann answer', 'bob stream'])
})

it('a connection ends with a revocation at once, with everything else once the calls on it are answered', () => {
  let isRevoked = false
  const done: string[] = []
  const held = createHeldAnswers({ isRevoked: () => isRevoked, isInForce: () => false, now: () => 0 })
  const end = (how: string) => () => done.push(how)
  held.hold(localPrincipal, { on: () => {}, destroy: end('destroyed'), finish: end('finished') }, 'stream')
  held.breakOff()
  expect(done).toEqual(['finished'])
  isRevoked = true
  held.breakOff()
  expect(done).toEqual(['finished', 'destroyed'])
})

it('looks at the credentials of a principal once, however many answers rest on them', () => {
  let [asked, isRevoked] = [0, false]
  const look = () => {
    asked += 1
    return isRevoked
  }
  const held = createHeldAnswers({ isRevoked: look, isInForce: () => true, now: () => 0 })
  const [ann, bob] = [{ ...localPrincipal }, { ...localPrincipal }]
  const open = Array.from({ length: 1_000 }, (_, index) => {
    const response = new EventEmitter()
    held.hold(index < 500 ? ann : bob, Object.assign(response, { destroy: () => response.emit('close') }), 'stream')
    return response
  })
  held.breakOff()
  expect(asked).toBe(2)
  for (const response of open.slice(0, 999)) response.emit('close')
  held.breakOff()
  expect(asked).toBe(3)
  isRevoked = true
  held.breakOff()
  held.breakOff()
  expect(asked).toBe(4)
})

it('with a right that the policy takes back streams end, and no answer: its caller would make the call that is under way a second time', async () => {
  const { signIn, store, world } = await openEdge()
  const principal = await world.signedIn()
  expect(principal.scopes).toContain('write:liquidity')
  const destroyed = holdBoth(signIn, principal)
  world.policy = policyWith(['write:trade'])
  await expect.poll(() => destroyed).toContain('stream')
  expect(destroyed).not.toContain('answer')
  await store.signIns.revoke({ subject: principal.id, by: 'operator:ann', until: null })
  await expect.poll(() => destroyed).toContain('answer')
})

it.each([
  ['fails', () => Promise.reject(new Error('The database is away.'))],
  ['waits for good', () => new Promise<never>(() => {})],
])(
  'while the look at revocations %s streams go on as long as calls are taken, ten seconds, and no longer',
  async (_name, look) => {
    const { signIn, world } = await openEdge()
    const principal = await world.signedIn()
    const destroyed = holdBoth(signIn, principal)
    world.look = look
    await expect.poll(() => world.looks).toBeGreaterThan(0)
    world.now += 9_000
    const heard = world.heard
    await expect.poll(() => world.heard).toBeGreaterThan(heard + 1)
    expect([destroyed, await world.signedIn()]).toEqual([[], principal])
    world.now += 2_000
    await expect.poll(() => destroyed).toContain('stream')
    expect(await world.signedIn()).toMatchObject({ refused: expect.stringContaining('cannot be found out now') })
    // Its caller would make the call that is under way a second time.
    expect(destroyed).not.toContain('answer')
  },
)

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const service = '0a1b2c3d.access'
const policyWith = (scopes: readonly string[]) =>
  parsePolicy({ signIn: { services: { [service]: scopes } } }, { production: true })

/** The stages over a real store, with a service that an edge lets in; a test has the looks at the store fail. */
async function openEdge() {
  const issuer = await startIssuer('RS256')
  closers.push(() => issuer.close())
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-held-'))
  closers.push(async () => rmSync(dataDir, { recursive: true }))
  const store = await openStore({ path: join(dataDir, 'state.db'), now: Date.now })
  closers.push(() => store.close())
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: issuer.url, aud: ['app-1'], sub: '', common_name: service, iat, exp: iat + 600 }
  const headers = { 'access-jwt-assertion': await issuer.sign(claims) }
  const known = () => store.signIns.epoch()
  const world = {
    policy: policyWith(['write:trade', 'write:liquidity']),
    look: known,
    now: Date.now(),
    /** How often the store was looked at since a test has had that fail, and how often what is held was, which asks for the policy. */
    looks: 0,
    heard: 0,
    signedIn: async () => (await signIn.stages[0]!({ headers, bearer: null })) as Principal,
  }
  const epoch = () => {
    world.looks += world.look === known ? 0 : 1
    return world.look()
  }
  const current = async () => {
    world.heard += 1
    return world.policy
  }
  const signIn = await openSignIn({
    signIns: { ...store.signIns, epoch },
    wallets: null,
    oauth: [],
    edge: { issuer: issuer.url, keysUrl: issuer.keysUrl, audiences: ['app-1'], tokenHeader: 'access-jwt-assertion' },
    fetch,
    policies: { latest: () => world.policy, current },
    audit: async () => {},
    recordsIn: null,
    log: { info: () => {}, warn: () => {} },
    now: () => world.now,
  })
  closers.push(async () => signIn.close())
  return { signIn, store, world }
}

/** Says which have ended. */
function holdBoth(signIn: Pick<SignIn, 'hold'>, principal: Principal): readonly string[] {
  const destroyed: string[] = []
  // In this order they are looked at: once the stream has ended, the answer would have as well.
  for (const kind of ['answer', 'stream'] as const)
    signIn.hold(principal, { on: () => {}, destroy: () => destroyed.push(kind) }, kind)
  return destroyed
}
