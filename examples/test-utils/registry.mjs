// An agent is registered by the registry's own call, and there is no chain: node --test examples/test-utils/registry.mjs
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestServer, registryHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet } from '@svc/wallet'

const rpcUrl = 'https://rpc.example'
const chain = registryHandlers({ rpcUrl, chainId: 84532 })
const server = createTestServer(...chain)
const privateKey = `0x${'1'.repeat(64)}`
const wallet = new ServiceWallet({ mode: 'local', privateKey, chainId: 84532, rpcUrls: { 84532: rpcUrl } })
const agent = { name: 'Ada', role: 'vault_manager', mcpEndpoint: 'https://agent.example/mcp', ipfsMode: 'inline' }

describe('an agent without a chain', () => {
  before(() => server.listen())
  after(() => server.close())

  it('an agent is registered once', async () => {
    const first = await registerAgent(wallet, agent)
    assert.equal(first.agentId, '84532:0')
    assert.equal((await registerAgent(wallet, agent)).alreadyRegistered, true)
    assert.equal(chain.agents()[0].agentURI, first.agentURI)
    assert.deepEqual(chain.transactions(), [first.txHash])
  })

  it('an answer that is lost after the broadcast makes no second agent', async () => {
    chain.setFaults([{ fault: 'drop', after: true, methods: ['eth_sendRawTransaction'], times: 1 }])
    const second = await registerAgent(wallet, { ...agent, force: true })
    assert.equal(second.agentId, '84532:1')
    assert.equal(chain.transactions().length, 2)
  })
})
