import { startIdentityProvider, type IdentityProvider, type IdentityProviderFault } from '@svc/devnet/identity-provider'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMetrics } from '../observability/create-metrics.ts'
import { createAppCheck } from './create-app-check.ts'

let provider: IdentityProvider
let at = 0
beforeEach(async () => {
  provider = await startIdentityProvider({ appIds: ['app-one', 'app-two'] })
})
afterEach(() => provider.stop())

const open = (timeoutMs = 30_000) =>
  createAppCheck({
    provider: { url: provider.url, path: '/api/v1/apps/{appId}/config' },
    fetch,
    now: () => at,
    metrics: createMetrics(),
    timeoutMs,
    refusalStepMs: 1,
  })
const minuteMs = 60_000
const home = '203.0.113.0/24'

it('a known app is asked for once in ten minutes', async () => {
  const apps = open()
  await apps.require('app-one', home)
  at += 10 * minuteMs - 1
  await apps.require('app-one', home)
  expect(provider.asked()).toHaveLength(1)
  at += 1
  await apps.require('app-one', home)
  expect(provider.asked()).toHaveLength(2)
})

it('an unknown app is asked for once in a minute', async () => {
  const apps = open()
  const refused = { code: 'APP_ID_INVALID' }
  await expect(apps.require('app-none', home)).rejects.toMatchObject(refused)
  at += minuteMs - 1
  await expect(apps.require('app-none', home)).rejects.toMatchObject(refused)
  expect(provider.asked()).toHaveLength(1)
  at += 1
  await expect(apps.require('app-none', home)).rejects.toMatchObject(refused)
  expect(provider.asked()).toHaveLength(2)
})

it('who asks at the same time shares the question', async () => {
  const apps = open()
  await Promise.all(Array.from({ length: 50 }, () => apps.require('app-one', home)))
  expect(provider.asked()).toEqual(['/api/v1/apps/app-one/config'])
})

it.each([
  null,
  '',
  'a',
  '..',
  '../..',
  'app/one',
  'app%2fone',
  'app one',
  'äpp-one',
  `a${'b'.repeat(64)}`,
  '_app',
  'app?x',
])('nothing is asked for %j', async (appId) => {
  await expect(open().require(appId, home)).rejects.toMatchObject({ code: 'APP_ID_INVALID' })
  expect(provider.asked()).toEqual([])
})

it.each<[string, IdentityProviderFault]>([
  ['is down', { kind: 'drop' }],
  ['fails', { kind: 'status', status: 500 }],
  ['holds us off', { kind: 'status', status: 429 }],
  ['refuses us', { kind: 'status', status: 403 }],
  ['says nothing', { kind: 'stall' }],
  ['stops in the middle', { kind: 'unfinished' }],
  ['never ends', { kind: 'endless' }],
  ['sends us elsewhere', { kind: 'redirect', location: 'http://127.0.0.1:1/' }],
  ['sends us to a good answer', { kind: 'redirect', location: '/api/v1/apps/app-one/config' }],
  ['speaks of another app', { kind: 'say', body: '{"id":"app-two"}' }],
  ['speaks of no app', { kind: 'say', body: '{}' }],
  ['is a web server of another kind', { kind: 'say', status: 404, body: '<html>Not found</html>' }],
  ['knows no such path', { kind: 'say', status: 404, body: '"Not found"' }],
  ['says what its framework says', { kind: 'say', status: 404, body: '{"error":"Not Found","status":404}' }],
  ['words its errors otherwise', { kind: 'say', status: 404, body: '{"error":{"message":"No such app"}}' }],
  [
    'echoes the path',
    { kind: 'say', status: 404, body: '{"message":"Cannot GET /api/v1/apps/app-one/config","error":"Not Found"}' },
  ],
  ['speaks no JSON', { kind: 'say', body: '<html>' }],
  ['says null', { kind: 'say', body: 'null' }],
])('a provider that %s lets nobody in and turns nobody away', async (_what, fault) => {
  const apps = open(['stall', 'unfinished'].includes(fault.kind) ? 2_000 : 30_000)
  provider.setFaults([{ fault, times: 1 }])
  await expect(apps.require('app-one', home)).rejects.toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    retryAfterSeconds: 5,
  })
  await apps.require('app-one', home)
})

it('what was said of an app holds while the provider is down', async () => {
  const apps = open()
  await apps.require('app-one', home)
  provider.setFaults([{ fault: { kind: 'drop' } }])
  await apps.require('app-one', home)
  await expect(apps.require('app-two', home)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
})

it('only so many questions are open at once', async () => {
  provider.setFaults([{ fault: { kind: 'stall' } }])
  const apps = open(2_000)
  const answers = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) => apps.require(`app-${index}`, `network ${index}`)),
  )
  expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
  expect(provider.asked().length).toBeLessThanOrEqual(96)
})

it('one range of addresses asks about twenty new apps a minute; what is known is free, and others are not held', async () => {
  const apps = open()
  await apps.require('app-one', home)
  const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => apps.require(`no-${index}`, home)))
  const held = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  expect(held.filter(({ code }) => code === 'APP_ID_INVALID')).toHaveLength(19)
  expect(held.find(({ code }) => code === 'RATE_LIMITED')).toMatchObject({ retryAfterSeconds: 3 })
  expect(provider.asked()).toHaveLength(20)
  at += 10 * minuteMs - 1
  await apps.require('app-one', home)
  await apps.require('app-two', '198.51.100.0/24')
})

it('an app that was known outlasts a provider that fails for an hour, and is asked about twice a minute', async () => {
  const apps = open()
  await apps.require('app-one', home)
  provider.setFaults([{ fault: { kind: 'status', status: 429 } }])
  at += 10 * minuteMs
  await apps.require('app-one', home)
  await apps.require('app-one', home)
  expect(provider.asked()).toHaveLength(2)
  await expect(apps.require('app-two', home)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
  at += 60 * minuteMs
  await expect(apps.require('app-one', home)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
})

it('an app that the provider knows no more is refused at its next question', async () => {
  const apps = open()
  await apps.require('app-one', home)
  provider.setFaults([{ fault: { kind: 'say', status: 400, body: '{"message":"Invalid app ID"}' } }])
  at += 10 * minuteMs
  await expect(apps.require('app-one', home)).rejects.toMatchObject({ code: 'APP_ID_INVALID' })
  provider.setFaults([{ fault: { kind: 'drop' } }])
  at += minuteMs
  await expect(apps.require('app-one', home)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
})

it('of more than ten thousand apps the one asked about first is forgotten', async () => {
  const asked: string[] = []
  const apps = createAppCheck({
    provider: { url: 'http://provider.example', path: '/{appId}' },
    fetch: async (url) => {
      const id = new Request(url).url.replace(/.*\//, '')
      asked.push(id)
      return Response.json({ id })
    },
    now: () => at,
    metrics: createMetrics(),
  })
  // As fast as new apps may be asked about, which is faster than the first one's ten minutes end.
  for (let index = 0; index <= 10_000; index += 1) {
    await apps.require(`app-${index}`, `network ${index}`)
    at += 50
  }
  expect(asked).toHaveLength(10_001)
  await apps.require('app-1', home)
  await apps.require('app-0', home)
  expect(asked.slice(10_001)).toEqual(['app-0'])
})
