import { usePostgres } from '@svc/devnet/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApi, testCard, type Answer, type TestApi } from '../test-api.fixture.ts'

const postgres = usePostgres({ ownServer: true })
const api: TestApi[] = []
beforeAll(async () => {
  const place = { url: await postgres().newSchema() }
  const env = { SVC_PIN_PER_APP_HOUR: '9999999', SVC_PIN_PER_NETWORK_HOUR: '9999999' }
  for (const _replica of [0, 1]) api.push(await openTestApi({ place, env }))
})
afterAll(async () => {
  for (const replica of api) await replica.close()
})

it('while its database is away it says so, and afterwards it goes on by itself', async () => {
  const [replica] = api as [TestApi]
  const pinned = (await replica.pin(testCard('Before'))).json['cid']
  await postgres().kill()
  const reported = await replica.pin(testCard('During'))
  expect(reported).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2', 'content-type': 'application/problem+json' },
    json: { code: 'UPSTREAM_UNAVAILABLE', retryable: true },
  })
  expect(await replica.ask('/readyz')).toMatchObject({
    status: 503,
    json: { status: 'unready', parts: { store: 'down' } },
  })
  expect((await replica.ask('/healthz')).status).toBe(200)
  await postgres().restart()
  await expect.poll(async () => (await replica.ask('/readyz')).status).toBe(200)
  expect((await replica.pin(testCard('During'))).status).toBe(200)
  expect((await replica.ask(`/ipfs/${String(pinned)}`)).status).toBe(200)
})

it('no pin that was answered for is lost when the database is killed under load', async () => {
  const state = { count: 0, isOver: false }
  const pinned = new Set<string>()
  const statuses = new Set<number>()
  const keepPinning = async (replica: TestApi): Promise<void> => {
    while (!state.isOver) {
      state.count += 1
      const answer: Answer = await replica.pin(testCard(`Agent ${state.count}`))
      statuses.add(answer.status)
      if (answer.status === 200) pinned.add(String(answer.json['cid']))
    }
  }
  const load = Promise.all([...api, ...api, ...api, ...api].map(keepPinning))
  for (let round = 1; round <= 3; round += 1) {
    const before = pinned.size
    await expect.poll(() => pinned.size).toBeGreaterThan(before + 10)
    await postgres().kill()
    await postgres().restart()
  }
  const before = pinned.size
  await expect.poll(() => pinned.size).toBeGreaterThan(before + 10)
  state.isOver = true
  await load
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
  for (const cid of pinned) expect((await api[0]!.ask(`/ipfs/${cid}?format=raw`)).status).toBe(200)
})
