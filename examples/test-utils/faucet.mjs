// A wallet without gas is funded by the faucet, or waits for a person: node --test examples/test-utils/faucet.mjs
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestServer, faucetHandlers, registryHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet } from '@svc/wallet'

const [rpcUrl, apiUrl] = ['https://rpc.example', 'https://support.example']
const chain = registryHandlers({ rpcUrl, chainId: 84532, balanceWei: 0n })
const faucet = faucetHandlers({ apiUrl, onGrant: ({ address, amountWei }) => chain.fund(address, amountWei) })
const server = createTestServer(...chain, ...faucet)
const register = (digit) => {
  const privateKey = `0x${digit.repeat(64)}`
  const rpcUrls = { 84532: rpcUrl }
  const wallet = new ServiceWallet({ mode: 'local', privateKey, chainId: 84532, rpcUrls, appId: 'app-1' })
  const gas = { manualWaitMs: 0 }
  return registerAgent(wallet, { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline', apiUrl, gas })
}

describe('a wallet without gas', () => {
  before(() => server.listen())
  after(() => server.close())

  it('the grant pays for the registration', async () => {
    assert.equal((await register('1')).gasTier, 'faucet')
    assert.equal(faucet.claims().length, 1)
  })

  it('a dry faucet leaves it to a person', async () => {
    faucet.setFaults([{ fault: 'dry' }])
    const result = await register('2')
    assert.equal(result.status, 'deferred')
    assert.equal(result.fund.currency, 'ETH')
  })
})
