import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Principal } from '@svc/engine'
import { parsePolicy } from '@svc/engine/policy'
import { openStore } from '@svc/store'
import { expect, it } from 'vitest'
import { localPrincipal } from '../../transports/stdio.ts'
import { startIssuer } from '../issued/issuer.fixture.ts'
import { createHeldAnswers } from './held-answers.ts'
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

it('with a right that the policy takes back streams end, and no answer: its caller would make the call that is under way a second time', async () => {
  const service = '0a1b2c3d.access'
  const policyWith = (services: object) => parsePolicy({ signIn: { services } }, { production: true })
  let policy = policyWith({ [service]: ['write:trade', 'write:liquidity'] })
  const issuer = await startIssuer('RS256')
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-held-'))
  const store = await openStore({ path: join(dataDir, 'state.db'), now: Date.now })
  const signIn = await openSignIn({
    signIns: store.signIns,
    wallets: null,
    oauth: [],
    edge: { issuer: issuer.url, keysUrl: issuer.keysUrl, audiences: ['app-1'], tokenHeader: 'access-jwt-assertion' },
    fetch,
    policies: { latest: () => policy, current: async () => policy },
    audit: async () => {},
    recordsIn: null,
    log: { info: () => {}, warn: () => {} },
    now: Date.now,
  })
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: issuer.url, aud: ['app-1'], sub: '', common_name: service, iat, exp: iat + 600 }
  const headers = { 'access-jwt-assertion': await issuer.sign(claims) }
  const principal = (await signIn.stages[0]!({ headers, bearer: null })) as Principal
  expect(principal.scopes).toContain('write:liquidity')
  const destroyed: string[] = []
  // In this order they are looked at: once the stream has ended, the answer would have as well.
  for (const kind of ['answer', 'stream'] as const)
    signIn.hold(principal, { on: () => {}, destroy: () => destroyed.push(kind) }, kind)
  policy = policyWith({ [service]: ['write:trade'] })
  await expect.poll(() => destroyed).toContain('stream')
  expect(destroyed).not.toContain('answer')
  await store.signIns.revoke({ subject: principal.id, by: 'operator:ann', until: null })
  await expect.poll(() => destroyed).toContain('answer')
  await signIn.close()
  await store.close()
  await issuer.close()
  rmSync(dataDir, { recursive: true })
})
