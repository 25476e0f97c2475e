import { afterEach, expect, test } from 'vitest'
import { openTestApi, type TestApi } from '../test-api.fixture.ts'

let api: TestApi | null = null
afterEach(async () => {
  await api?.close()
  api = null
})

const doubts = () => api?.log().match(/"[^"]*config\.doubt"/g) ?? []

test('a page whose app the provider does not know is named at the start, and serves', async () => {
  api = await openTestApi({ env: { SVC_PAGE_APP_ID: 'app-none' } })
  await expect.poll(doubts).toHaveLength(1)
  expect(api.log()).toContain('SVC_PAGE_APP_ID')
  expect((await api.ask('/healthz')).status).toBe(200)
})

test('a page whose app is known is not doubted', async () => {
  api = await openTestApi({ env: { SVC_PAGE_APP_ID: 'app-one' } })
  const { provider } = api
  await expect.poll(() => provider.asked()).toHaveLength(1)
  expect((await api.ask('/healthz')).status).toBe(200)
  expect(doubts()).toEqual([])
})

test('a provider that does not say is named too', async () => {
  api = await openTestApi({ env: { SVC_PAGE_APP_ID: 'app-one', SVC_IDENTITY_PROVIDER_URL: 'http://127.0.0.1:9' } })
  await expect.poll(doubts).toHaveLength(1)
  expect(api.log()).toContain('SVC_IDENTITY_PROVIDER_PATH')
})
