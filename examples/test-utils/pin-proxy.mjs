// What a wallet does when the pin proxy fails it: node --test examples/test-utils/pin-proxy.mjs
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestServer, pinProxyHandlers, registryHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet } from '@svc/wallet'

const [rpcUrl, apiUrl] = ['https://rpc.example', 'https://support.example']
const pins = pinProxyHandlers({ apiUrl, appId: 'app-1' })
const server = createTestServer(...pins, ...registryHandlers({ rpcUrl, chainId: 84532 }))
const wallet = new ServiceWallet({
  mode: 'local',
  privateKey: `0x${'1'.repeat(64)}`,
  chainId: 84532,
  rpcUrls: { 84532: rpcUrl },
  appId: 'app-1',
})
const register = () => registerAgent(wallet, { name: 'Ada', role: 'vault_participant', apiUrl, force: true })

describe('a pin proxy that fails', () => {
  before(() => server.listen())
  after(() => server.close())

  it('a proxy that has had enough, or names another content, is done without', async () => {
    for (const fault of [{ fault: 'rate-limit', retryAfterSeconds: 60 }, { fault: 'other-cid' }, { fault: 'down' }]) {
      pins.setFaults([fault])
      const { registrationMethod, attempts } = await register()
      assert.equal(registrationMethod, 'sdk-inline')
      assert.equal(attempts[0].outcome, 'failed')
    }
  })

  it('one that is well again is used again', async () => {
    pins.setFaults([])
    assert.equal((await register()).registrationMethod, 'sdk-ipfs')
  })
})
