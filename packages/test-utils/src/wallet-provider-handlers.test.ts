import { ServiceWallet } from '@svc/wallet'
import { parseTransaction, recoverMessageAddress, recoverTransactionAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainId, registered, rpcUrl, withoutSdk } from './agent.fixture.ts'
import {
  createTestServer,
  registryHandlers,
  walletProviderHandlers,
  type RegistryHandlers,
  type TestServer,
  type WalletProviderHandlers,
  type WantedWallet,
} from './index.ts'

let provider: WalletProviderHandlers
let chain: RegistryHandlers
let server: TestServer
beforeEach(() => {
  provider = walletProviderHandlers()
  chain = registryHandlers({ rpcUrl, chainId })
  server = createTestServer(...provider, ...chain)
  server.listen()
})
afterEach(() => server.close())

describe('a managed wallet, without a port,', () => {
  test('registers an agent: the provider signs, and the chain sees its address', async () => {
    const { wallet, address } = await managed()
    const result = await registered(wallet, withoutSdk)
    expect(result).toMatchObject({ owner: address, agentId: `${chainId}:0` })
    expect(chain.agents()).toMatchObject([{ owner: address }])
    expect(provider.signatures()).toBe(1)
    expect(provider.requests().at(-1)?.headers['privy-authorization-signature']).toMatch(/^[A-Za-z0-9+/]+=*$/)
  })

  test('signs messages and transactions that recover to its address', async () => {
    const { wallet, address } = await managed()
    expect(await recoverMessageAddress({ message: 'hello', signature: await wallet.signMessage('hello') })).toBe(
      address,
    )
    const raw = await wallet.signTransaction(transaction(1n))
    expect(parseTransaction(raw)).toMatchObject({ value: 1n, nonce: 7 })
    expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toBe(address)
  })

  test('is held to its policy', async () => {
    const condition = { field_source: 'ethereum_transaction', field: 'value', operator: 'lte', value: '5' }
    const rule = { name: 'small', method: 'eth_signTransaction', action: 'ALLOW', conditions: [condition] }
    const { wallet } = await managed({
      policy: { version: '1.0', chain_type: 'ethereum', name: 'small', rules: [rule] },
    })
    expect(await wallet.signTransaction(transaction(5n))).toMatch(/^0x02/)
    await expect(wallet.signTransaction(transaction(6n))).rejects.toMatchObject({ code: 'SIGNER_REFUSED' })
    await expect(wallet.signMessage('hello')).rejects.toMatchObject({ code: 'SIGNER_REFUSED' })
  })

  test('with a secret or a key that is not its own signs nothing', async () => {
    const stranger = provider.createAuthorizationKey('stranger').privateKey
    for (const change of [{ appSecret: 'wrong' }, { authPrivateKey: stranger }]) {
      const { wallet } = await managed({}, change)
      await expect(wallet.signMessage('hello')).rejects.toMatchObject({ code: 'SIGNER_UNAUTHORIZED' })
    }
    expect(provider.signatures()).toBe(0)
  })

  test('asks again for a signature whose answer was lost, and it is made once', async () => {
    const { wallet } = await managed()
    provider.setFaults([{ fault: 'drop', after: true, methods: ['eth_signTransaction'], times: 1 }])
    const before = provider.requests().length
    expect(await wallet.signTransaction(transaction(1n))).toMatch(/^0x02/)
    expect([provider.requests().length - before, provider.signatures()]).toEqual([2, 1])
    provider.setFaults([{ fault: 'rate-limit', retryAfterSeconds: 9 }])
    await expect(wallet.signMessage('hello')).rejects.toMatchObject({
      code: 'SIGNER_RATE_LIMITED',
      details: { retryAfterSeconds: 9 },
    })
  })
})

test('its public route knows the app, as the support API asks it', async () => {
  const config = async (appId: string) => fetch(`${provider.apiUrl}/api/v1/apps/${appId}/config`)
  expect(await (await config(provider.appId)).json()).toMatchObject({ id: provider.appId })
  expect((await config('another')).status).toBe(404)
})

async function managed(wanted: WantedWallet = {}, change: { appSecret?: string; authPrivateKey?: string } = {}) {
  const { appId, appSecret } = provider
  const { walletId, address, authPrivateKey } = await provider.createWallet(wanted)
  const wallet = new ServiceWallet({
    mode: 'managed',
    appId,
    appSecret,
    walletId,
    authPrivateKey,
    chainId,
    rpcUrls: { [chainId]: rpcUrl },
    address,
    ...change,
  })
  return { wallet, address }
}

function transaction(value: bigint) {
  const fees = { gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
  const to = '0x00000000000000000000000000000000000000aa'
  return { type: 'eip1559', chainId, nonce: 7, to, value, ...fees } as const
}
