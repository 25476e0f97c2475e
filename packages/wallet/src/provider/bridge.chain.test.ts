import { setTimeout as sleep } from 'node:timers/promises'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletProviderServer } from '@svc/test-utils'
import { verifyMessage as ethersVerify } from 'ethers'
import {
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  http,
  parseEther,
  recoverTypedDataAddress,
  verifyMessage,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import { ServiceWallet } from '../service-wallet.ts'
import type { Signer } from '../signer.ts'
import { createManagedSigner } from '../signers/managed-signer.ts'
import { startRemoteSigner } from '../signers/remote-server.fixture.ts'
import { createRemoteSigner } from '../signers/remote-signer.ts'
import { createLocalSigner } from '../signers/local-signer.ts'
import { bridgeClients, codeIn, openSdk, type BridgeClient, type TypedData } from './bridge-clients.fixture.ts'
import { createEIP1193Provider, type EIP1193Provider } from './create-eip1193-provider.ts'

const devnet = useDevnet()
// PUSH1 2a PUSH0 MSTORE8 PUSH1 01 PUSH0 RETURN: a contract whose code is one byte.
const returning2a = '0x602a5f5360015ff3'
const note: TypedData = {
  domain: { name: 'Test', version: '1', chainId: 31337 },
  types: {
    Note: [
      { name: 'text', type: 'string' },
      { name: 'count', type: 'uint256' },
    ],
  },
  primaryType: 'Note',
  message: { text: 'hello', count: 7n },
}

let wallet: ServiceWallet
let provider: EIP1193Provider
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  await use(createLocalSigner(generatePrivateKey()))
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

describe.each(Object.entries(bridgeClients))('through %s', (_name, open) => {
  const opened = () => open(provider, { rpcUrl: devnet().rpcUrl, registry: devnet().registry.identity })

  test('a wallet tells who and where it is, signs, sends, waits, reads and deploys', async () => {
    const bridge = await opened()
    const { address } = wallet
    expect((await bridge.accounts()).map((account) => account.toLowerCase())).toEqual([address.toLowerCase()])
    expect(await bridge.chainId()).toBe(31337)
    const signature = await bridge.signMessage('hello')
    expect(await verifyMessage({ address, message: 'hello', signature })).toBe(true)
    expect(ethersVerify('hello', signature)).toBe(address)
    expect(await recoverTypedDataAddress({ ...note, signature: await bridge.signTypedData(note) })).toBe(address)
    expect(await bridge.agents(address)).toBe(0n)
    const data = encodeFunctionData({ abi, functionName: 'register', args: ['data:,agent'] })
    expect(await bridge.wait(await bridge.send({ to: devnet().registry.identity, data }))).toBe(true)
    expect(await bridge.agents(address)).toBe(1n)
    const created = await bridge.deploy(returning2a)
    expect(await bridge.wait(created)).toBe(true)
    const { contractAddress } = await client().getTransactionReceipt({ hash: created })
    expect(await client().getCode({ address: contractAddress! })).toBe('0x2a')
    expect(await client().getTransactionCount({ address })).toBe(2)
  })

  test.each<[string, number, (bridge: BridgeClient) => Promise<unknown>]>([
    ['a call that reverts', 3, (bridge) => bridge.send({ to: devnet().registry.identity, data: '0x12345678' })],
    ['a transaction to nobody', -32602, (bridge) => bridge.send({})],
    ['typed data of another chain', -32602, (bridge) => bridge.signTypedData({ ...note, domain: ofChainOne })],
    ['what cannot be paid', -32003, (bridge) => penniless(() => bridge.send({ to: wallet.address, data: '0x' }))],
  ])('%s is refused with code %i, and nothing is out', async (_what, expected, act) => {
    const bridge = await opened()
    const error = await act(bridge).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(codeIn(error)).toBe(expected)
    expect(await client().getTransactionCount({ address: wallet.address, blockTag: 'pending' })).toBe(0)
  })
})

test('ethers waits no longer than for the next block when its block number is from before the transaction', async () => {
  const request: EIP1193Provider['request'] = async (words) => {
    const answer = await provider.request(words)
    // Longer than ethers keeps the number that it read before it sent.
    if (words.method === 'eth_getTransactionReceipt') await sleep(300)
    return answer
  }
  const world = { rpcUrl: devnet().rpcUrl, registry: devnet().registry.identity }
  const bridge = await bridgeClients['ethers']!({ ...provider, request }, world)
  expect(await bridge.wait(await bridge.send({ to: wallet.address }))).toBe(true)
})

test('the identity SDK registers an agent, loads it again and gives it another wallet', async () => {
  const world = { rpcUrl: devnet().rpcUrl, registry: devnet().registry.identity }
  const sdk = openSdk(provider, world)
  const file = JSON.stringify({ name: 'Tidewater', description: 'x' })
  const uri = `data:application/json;base64,${Buffer.from(file).toString('base64')}`
  const agent = sdk.createAgent('Tidewater', 'x')
  agent.setMetadata({ role: 'lp' })
  await (await agent.registerHTTP(uri)).waitMined()
  const loaded = await sdk.loadAgent(agent.agentId!)
  expect([loaded.name, loaded.agentURI]).toEqual(['Tidewater', uri])
  expect(await loaded.getWallet()).toBe(wallet.address)
  const newKey = generatePrivateKey()
  const change = await loaded.setWallet(privateKeyToAddress(newKey), { newWalletPrivateKey: newKey })
  await change!.waitMined()
  expect(await loaded.getWallet()).toBe(privateKeyToAddress(newKey))
})

test.each(['managed', 'remote'])('a %s signer signs for the same script, contracts included', async (kind) => {
  await use(kind === 'managed' ? await managed() : await remote())
  const world = { rpcUrl: devnet().rpcUrl, registry: devnet().registry.identity }
  const bridge = await bridgeClients['viem']!(provider, world)
  const signature = await bridge.signTypedData(note)
  expect(await recoverTypedDataAddress({ ...note, signature })).toBe(wallet.address)
  const created = await bridge.deploy(returning2a)
  expect(await bridge.wait(created)).toBe(true)
  const { contractAddress } = await client().getTransactionReceipt({ hash: created })
  expect(await client().getCode({ address: contractAddress! })).toBe('0x2a')
})

test('listeners are taken and let go, and hear nothing: neither account nor chain ever changes', async () => {
  const heard: string[] = []
  const listen = () => void heard.push('event')
  for (const event of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message']) {
    expect(provider.on(event, listen)).toBe(provider)
    expect(provider.removeListener(event, listen)).toBe(provider)
    provider.on(event, listen)
  }
  await provider.request({ method: 'eth_requestAccounts' })
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x7a69' }] })
  expect(heard).toEqual([])
})

const ofChainOne = { ...note.domain, chainId: 1 }

async function use(signer: Signer): Promise<void> {
  wallet = new ServiceWallet({ mode: 'local', signer, chainId: 31337, rpcUrls: { 31337: devnet().rpcUrl } })
  provider = createEIP1193Provider(wallet)
  await node().setBalance({ address: await wallet.getAddress(), value: parseEther('1') })
}

async function managed(): Promise<Signer> {
  const server = await createWalletProviderServer()
  stops.push(() => server.close())
  const { walletId, authPrivateKey } = await server.createWallet()
  const { appId, appSecret, url: apiUrl } = server
  return createManagedSigner({ appId, appSecret, walletId, authPrivateKey, apiUrl })
}

async function remote(): Promise<Signer> {
  const account = privateKeyToAccount(generatePrivateKey())
  const server = await startRemoteSigner(account)
  stops.push(() => server.stop())
  return createRemoteSigner({ url: server.url, address: account.address })
}

async function penniless<Result>(act: () => Promise<Result>): Promise<Result> {
  await node().setBalance({ address: wallet.address, value: 0n })
  return await act()
}

const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
