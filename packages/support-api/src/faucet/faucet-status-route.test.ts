import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { openTestApi, type TestApi } from '../test-api.fixture.ts'

let api: TestApi
afterEach(() => api.close())

test('a faucet that serves no chain says so with 503, and the replica stays ready for pins', async () => {
  const chain = { SVC_FAUCET_CHAINS: '84532', SVC_RPC_URL_84532: 'http://127.0.0.1:9' }
  api = await openTestApi({ env: { ...chain, SVC_FAUCET_PRIVATE_KEY: generatePrivateKey() } })
  expect(await api.ask('/v1/faucet/status')).toMatchObject({
    status: 503,
    headers: { 'content-type': 'application/json' },
    json: { status: 'paused', chains: [{ chainId: 84532, rpc: 'down', enabled: false, reason: 'rpc-down' }] },
  })
  expect(await api.ask('/readyz')).toMatchObject({ status: 200, json: { parts: { store: 'ok' } } })
})

test('a service without a faucet says that nothing is served, also in its description, and takes no claims', async () => {
  api = await openTestApi()
  expect(await api.ask('/v1/faucet/status', { headers: { origin: 'https://page.example' } })).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': '*' },
    json: { status: 'off', chains: [], limits: null },
  })
  const { json } = await api.ask('/openapi.json')
  expect(Object.keys(json['paths'] as object)).toContain('/v1/faucet/status')
  expect(await api.ask('/v1/faucet/request', { method: 'POST', body: '{}' })).toMatchObject({ status: 404 })
})
