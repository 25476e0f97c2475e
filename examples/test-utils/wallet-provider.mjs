// A managed wallet signs within its policy, with no provider: node --test examples/test-utils/wallet-provider.mjs
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestServer, registryHandlers, walletProviderHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet } from '@svc/wallet'

const rpcUrl = 'https://rpc.example'
const provider = walletProviderHandlers()
const chain = registryHandlers({ rpcUrl, chainId: 84532 })
const server = createTestServer(...provider, ...chain)

/** A wallet that may send to one contract. */
const open = async (contract) => {
  const condition = { field_source: 'ethereum_transaction', field: 'to', operator: 'eq', value: contract }
  const rule = { name: 'registry', method: 'eth_signTransaction', action: 'ALLOW', conditions: [condition] }
  const policy = { version: '1.0', chain_type: 'ethereum', name: 'registration', rules: [rule] }
  const { walletId, authPrivateKey } = await provider.createWallet({ policy })
  const { appId, appSecret } = provider
  const app = { appId, appSecret, walletId, authPrivateKey }
  return new ServiceWallet({ mode: 'managed', ...app, chainId: 84532, rpcUrls: { 84532: rpcUrl } })
}
const agent = { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline' }

describe('a managed wallet without a provider', () => {
  before(() => server.listen())
  after(() => server.close())

  it('registers where its policy lets it', async () => {
    const wallet = await open(chain.registry)
    assert.equal((await registerAgent(wallet, agent)).owner, await wallet.getAddress())
    assert.equal(provider.signatures(), 1)
  })

  it('does not where it does not', async () => {
    const wallet = await open(`0x${'a'.repeat(40)}`)
    await assert.rejects(registerAgent(wallet, agent), { code: 'SIGNER_REFUSED' })
    assert.equal(chain.agents().length, 1)
  })
})
