import { usePostgres } from '@svc/devnet/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from './open-store.ts'

// Replicas whose own clocks lie hours apart, over one PostgreSQL.
const hourMs = 3_600_000
const postgres = usePostgres()
let replicas: readonly Store[]

beforeEach(async () => {
  const url = await postgres().newSchema()
  const open = (hours: number) => openStore({ url, clock: 'database', now: () => Date.now() + hours * hourMs })
  replicas = await Promise.all([0, -25, 49].map(open))
})

afterEach(async () => {
  for (const replica of replicas) await replica.close()
})

test('uses are counted in one window', async () => {
  const pins = { key: 'pin:app', perWindow: 10, windowMs: hourMs }
  const takes = Array.from({ length: 30 }, (_, index) => replicas[index % replicas.length]!.rateLimits.take(pins))
  const verdicts = await Promise.all(takes)
  expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10)
})

test('a cap of claims holds', async () => {
  const cap = { scope: 'chain', claims: 2, windowMs: hourMs } as const
  const scopes = { chainId: 1, appId: 'app', network: '1' }
  const statuses = []
  for (const [index, replica] of replicas.entries()) {
    const address = `0xA${index}`.padEnd(42, '0')
    const [verdict] = await replica.claims.make([{ ...scopes, address, amountWei: 1n }], [cap])
    statuses.push(verdict?.status)
  }
  expect(statuses).toEqual(['made', 'made', 'capped'])
  for (const replica of replicas) expect(await replica.claims.used(cap, scopes)).toBe(2)
})
