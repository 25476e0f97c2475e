// The identity SDK registers and finds the same id and URI each time: node --test examples/test-utils/identity-sdk.mjs
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestServer, identitySdkHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet } from '@svc/wallet'

const [rpcUrl, apiUrl] = ['https://rpc.example', 'https://support.example']
const handlers = identitySdkHandlers({ chain: { rpcUrl, chainId: 84532 }, pinProxy: { apiUrl } })
const server = createTestServer(...handlers)
const wallet = new ServiceWallet({
  mode: 'local',
  privateKey: `0x${'1'.repeat(64)}`,
  chainId: 84532,
  rpcUrls: { 84532: rpcUrl },
  appId: 'app-1',
})

describe('the identity SDK without a network', () => {
  before(() => server.listen())
  after(() => server.close())

  it('the file is pinned and then registered', async () => {
    const result = await registerAgent(wallet, { name: 'Ada', role: 'vault_participant', apiUrl })
    assert.equal(result.registrationMethod, 'sdk-ipfs')
    assert.equal(result.agentId, '84532:0')
    assert.equal(result.agentURI, 'ipfs://bafkreihzvp27zcu3reahfqeafbpjwa6owhwlpdghxqnvpm523z3ikkjqzy')
    assert.equal(handlers.pins.pins().size, 1)
  })
})
