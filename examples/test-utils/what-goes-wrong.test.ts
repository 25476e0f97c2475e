// What fails at the chain, the faucet and the pin proxy, with vitest, in TypeScript.
import { createTestServer, faucetHandlers, pinProxyHandlers, registryHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet, type RegistrationResult } from '@svc/wallet'
import { afterEach, beforeEach, expect, test } from 'vitest'

const rpcUrl = 'https://rpc.example'
const apiUrl = 'https://support.example'
// State belongs to a set of handlers: each test makes its own.
let chain: ReturnType<typeof registryHandlers>
let faucet: ReturnType<typeof faucetHandlers>
let pins: ReturnType<typeof pinProxyHandlers>
let server: ReturnType<typeof createTestServer>

beforeEach(() => {
  chain = registryHandlers({ rpcUrl, chainId: 84532, balanceWei: 0n })
  faucet = faucetHandlers({ apiUrl, onGrant: ({ address, amountWei }) => chain.fund(address, amountWei) })
  pins = pinProxyHandlers({ apiUrl })
  server = createTestServer(...chain, ...faucet, ...pins)
  server.listen()
})
afterEach(() => server.close())

test('the faucet pays for a wallet that holds nothing', async () => {
  expect(await register()).toMatchObject({ status: 'registered', gasTier: 'faucet' })
  expect(faucet.claims()).toHaveLength(1)
})

test('a dry faucet leaves it to a person, who is told how much to send where', async () => {
  faucet.setFaults([{ fault: 'dry' }])
  const result = await register()
  if (result.status !== 'deferred') throw new Error(`It is ${result.status}.`)
  expect(result.fund).toMatchObject({ address: wallet().address, currency: 'ETH' })
  expect(chain.transactions()).toEqual([])
})

test('a pin proxy that is down costs gas and not the identity', async () => {
  pins.setFaults([{ fault: 'down' }])
  const result = await register()
  expect(result).toMatchObject({
    status: 'registered',
    agentURI: expect.stringMatching(/^data:application\/json;base64,/),
  })
})

test('an answer that is lost after the broadcast makes no second agent', async () => {
  chain.setFaults([{ fault: 'drop', after: true, methods: ['eth_sendRawTransaction'], times: 1 }])
  expect(await register()).toMatchObject({ status: 'registered', agentId: '84532:0' })
  expect(chain.agents()).toHaveLength(1)
})

function wallet(): ServiceWallet {
  const privateKey = `0x${'2'.repeat(64)}`
  return new ServiceWallet({ mode: 'local', privateKey, chainId: 84532, rpcUrls: { 84532: rpcUrl }, appId: 'app-1' })
}

function register(): Promise<RegistrationResult> {
  return registerAgent(wallet(), { name: 'Ada', role: 'vault_manager', apiUrl, gas: { manualWaitMs: 0 } })
}
