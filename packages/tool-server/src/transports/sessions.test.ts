import type { Principal, Scope } from '@svc/engine'
import { beforeEach, describe, expect, it } from 'vitest'
import { callOf, initialize, openSession, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer } from '../test-server.fixture.ts'
import { createSessions, type Held } from './sessions.ts'

const reads: readonly Scope[] = ['read:market', 'read:portfolio']
const principal = (id: string, stage: Principal['stage'], scopes: readonly Scope[] = reads): Principal => ({
  id,
  stage,
  tier: stage === 'api-key' ? 'read' : null,
  scopes: new Set(scopes),
  expiresAt: null,
})
const passing = (index: number) => principal(`siwe:${index}`, 'siwe')
let clock = 0
let sessions: ReturnType<typeof createSessions<Held>>
let closed: string[]
beforeEach(() => {
  clock = 0
  closed = []
  sessions = createSessions<Held>({ max: 3, idleMs: 60_000, now: () => clock })
})

function open(of: Principal, isBusy = false): boolean {
  if (!sessions.makeRoom(of)) return false
  clock += 1
  const close = async () => void closed.push(of.id)
  const inFlight = new Map(isBusy ? [[1, { abort: () => {} }]] : [])
  sessions.add({ id: of.id, principal: of, transport: { close }, inFlight, exchanges: 0, lastSeenAt: clock })
  return true
}

describe('where wallets to which nothing is granted hold all sessions', () => {
  it.each([
    ['a key', principal('api-key:1', 'api-key')],
    ['a wallet to which something is granted', principal('siwe:granted', 'siwe', [...reads, 'write:trade'])],
    ['a token of OAuth', principal('oauth:1', 'oauth')],
  ])('the one that was unused for longest makes room for %s', (_name, comer) => {
    for (const index of [1, 2, 3]) open(passing(index))
    expect(open(comer)).toBe(true)
    expect(closed).toEqual(['siwe:1'])
  })

  it('none makes room for one more of them, nor one that is being answered for anybody', () => {
    for (const index of [1, 2, 3]) open(passing(index), true)
    expect([open(passing(4)), open(principal('api-key:1', 'api-key'))]).toEqual([false, false])
    expect(closed).toEqual([])
  })
})

it('among others, nobody with one session makes room', () => {
  for (const index of [1, 2, 3]) open(principal(`oauth:${index}`, 'oauth'))
  expect(open(principal('api-key:1', 'api-key'))).toBe(false)
})

it('sessions take no name that somebody else thought of, so that none waits for who comes with it', async () => {
  const { port, keys, server } = await openTestServer()
  const withSession = (session: string, token: string, body: string) =>
    rawRequest(port, { token, body, headers: { 'mcp-session-id': session } })
  const chosen = '11111111-1111-4111-8111-111111111111'
  const opened = await withSession(chosen, keys.write, initialize())
  expect([opened.status, opened.headers['mcp-session-id']]).toEqual([200, expect.not.stringMatching(chosen)])
  const ofAttacker = await openSession(port, keys.read)
  const over = await withSession(ofAttacker, keys.write, initialize())
  expect(over.headers['mcp-session-id']).not.toBe(ofAttacker)
  for (const session of [chosen, ofAttacker, `${ofAttacker}, ${chosen}`])
    expect((await withSession(session, keys.write, callOf('get_echo', { text: 'hi' }))).status).toBe(404)
  await server.close()
})
