import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { afterEach, expect, test } from 'vitest'
import { apiKeyFrom } from '../auth/credentials.ts'
import { readConfig } from '../config.ts'
import { openServer } from '../open-server.ts'
import { createLender } from './leases.ts'
import { createRateLimits } from './rate-limit.ts'

const postgres = usePostgres()
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test('two replicas let through what one would and at most a twentieth each more, at one exchange for several requests', async () => {
  const url = await postgres().newSchema()
  const clock = { ms: 1_700_000_000_000 }
  const perMinute = 200
  const batch = perMinute / 20
  const open = async () => {
    const store = await openStore({ url, clock: 'process', now: () => clock.ms })
    closers.push(() => store.close())
    const counted = { exchanges: 0 }
    const lend = createLender((asks) => {
      counted.exchanges += 1
      return store.rateLeases.lease(asks)
    })
    const figures = { perAddressPerMinute: perMinute, unauthenticatedPerMinute: 1, perPrincipalPerMinute: 1 }
    const { perAddress } = createRateLimits(figures, { now: () => clock.ms, lend })
    const storm = async (requests: number) => {
      const taken = await Promise.all(Array.from({ length: requests }, async () => perAddress.take('203.0.113.9')))
      return taken.filter(({ allowed }) => allowed).length
    }
    return { counted, storm }
  }
  const [one, other] = [await open(), await open()]
  const sum = (allowed: readonly number[]) => allowed.reduce((total, each) => total + each, 0)
  // Each holds what it leased for later.
  expect(sum([await one.storm(1), await other.storm(1)])).toBe(2)
  // A minute later the bucket is full again, beside what they hold.
  clock.ms += 60_000
  const inStorm = sum(await Promise.all([one.storm(300), other.storm(300)]))
  expect(inStorm).toBeGreaterThanOrEqual(perMinute)
  expect(inStorm).toBeLessThanOrEqual(perMinute + 2 * batch)
  expect(sum(await Promise.all([one.storm(50), other.storm(50)]))).toBe(0)
  clock.ms += 30_000
  const afterHalf = sum(await Promise.all([one.storm(300), other.storm(300)]))
  expect(afterHalf).toBeGreaterThanOrEqual(perMinute / 2 - 2 * batch)
  expect(inStorm + afterHalf).toBeLessThanOrEqual(1.5 * perMinute + 2 * batch)
  expect(one.counted.exchanges + other.counted.exchanges).toBeLessThan(60)
})

test('servers on one database hold a token to one budget, those without one each to its own', async () => {
  const key = apiKeyFrom('read', randomBytes(32))
  const perToken = 12
  const start = async (settings: Readonly<Record<string, string>>) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-limits-'))
    closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
    writeFileSync(join(dataDir, 'policy.json'), JSON.stringify({ rateLimits: { perToken } }), { mode: 0o600 })
    const given = { SVC_DATA_DIR: dataDir, SVC_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent', SVC_API_KEY_READ: key }
    const server = await openServer(readConfig({ ...given, SVC_MCP_PROFILE: 'data', ...settings }))
    closers.push(() => server.close())
    const { url } = await server.listen()
    return async () => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(url, { method: 'POST', headers, body: '{}' })
      await answer.body?.cancel()
      return answer.status !== 429
    }
  }
  const allowedOf = async (asks: readonly (() => Promise<boolean>)[]) => {
    const since = performance.now()
    const all = asks.flatMap((ask) => Array.from({ length: 16 }, ask))
    const allowed = (await Promise.all(all)).filter(Boolean).length
    const tookMs = performance.now() - since
    return { allowed, tookMs, refilled: Math.ceil((tookMs / 60_000) * perToken) }
  }
  // A server goes by its own budget where the database takes a second, as on a machine busy with other work: then both are tried anew.
  const sharing = async () => {
    const shared = { SVC_DATABASE_URL: await postgres().newSchema() }
    return allowedOf([await start(shared), await start(shared)])
  }
  let together = await sharing()
  while (together.tookMs >= 1_000) together = await sharing()
  expect(together.allowed).toBeGreaterThan(perToken / 2)
  expect(together.allowed).toBeLessThanOrEqual(perToken + together.refilled)
  const apart = await allowedOf([await start({}), await start({})])
  expect(apart.allowed).toBeGreaterThanOrEqual(2 * perToken)
})
