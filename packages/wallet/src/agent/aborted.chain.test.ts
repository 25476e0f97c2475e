import { awaitReceipt } from '@svc/devnet'
import { startFaultProxy, useDevnet, type Fault, type FaultProxy } from '@svc/devnet/testing'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPublicClient, createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { getAgent, type GetAgentOptions } from './lookup/read-agents.ts'
import { planRegistration } from './registration/plan-registration.ts'
import { createMemoryRegistrationRecords, type RegistrationRecords } from './registration/registration-records.ts'
import { registerAgent, updateAgent } from './register-agent.ts'
import type { AgentRegistrationConfig } from './registration/registration.ts'
import { identityRegistryAbi as abi } from './registry/identity-registry.ts'

const devnet = useDevnet()
const stall: Fault = { kind: 'stall' }

let proxy: FaultProxy
let wallet: ServiceWallet
let records: RegistrationRecords
let journal: Journal
let caller: AbortController
beforeEach(async () => {
  proxy = await startFaultProxy({ target: devnet().rpcUrl })
  const rpcUrls = { 31337: proxy.url }
  wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  await devnet().fund(wallet.address, { ETH: '1' })
  records = createMemoryRegistrationRecords()
  journal = createMemoryJournal({ now: Date.now })
  caller = new AbortController()
})
afterEach(async () => {
  await proxy.stop()
})

test('a caller who gave up before has nobody asked', async () => {
  caller.abort(new Error('Too late.'))
  const refused = { code: 'ABORTED', suggestion: expect.stringMatching(/./) }
  await expect(register()).rejects.toMatchObject(refused)
  await expect(getAgent(reading('31337:0'))).rejects.toMatchObject(refused)
  expect([...proxy.methods()]).toEqual([])
})

test.each([
  'eth_chainId',
  'eth_call',
  'eth_estimateGas',
  'eth_maxPriorityFeePerGas',
  'eth_getBlockByNumber',
  'eth_getBalance',
])('a registration that hangs at %s ends when the caller gives up, and nothing is signed', async (method) => {
  const call = register()
  await expectAborted(call, method)
  expect(proxy.rawTransactions().size).toBe(0)
  expect(await journal.open(31337, wallet.address)).toEqual([])
  caller = new AbortController()
  expect(await register()).toMatchObject({ status: 'registered', alreadyRegistered: false })
  expect(await agentsOfWallet()).toBe(1n)
})

test('a look at an agent ends likewise, at the chain and at the gateway, with a client of the caller too', async () => {
  const { agentId } = await registered()
  await expectAborted(getAgent(reading(agentId)), 'eth_call')
  caller = new AbortController()
  const client = createPublicClient({ transport: http(proxy.url) })
  await expectAborted(getAgent({ ...reading(agentId), client }), 'eth_getCode')
  caller = new AbortController()
  const pinned = await minted(`ipfs://bafkrei${'a'.repeat(52)}`)
  await withSilentServer(async (url, asked) => {
    await expectEnds(getAgent({ ...reading(pinned), gatewayUrl: url }), asked)
  })
})

test('a plan ends while its file is pinned', async () => {
  await withSilentServer(async (url, asked) => {
    const plan = planRegistration({
      ...card,
      chainId: 31337,
      owner: wallet.address,
      rpcUrls: wallet.rpcUrls,
      registry: { identity: devnet().registry.identity },
      ipfsMode: 'pinata',
      pinningUrl: url,
      pinningJwt: 'jwt',
      env: {},
      signal: caller.signal,
    })
    await expectEnds(plan, asked)
  })
})

describe('once the transaction may be out', () => {
  test.each<[string, Fault, string]>([
    ['is sent', { kind: 'stall', forwarded: true }, 'eth_sendRawTransaction'],
    ['is waited for', stall, 'eth_getTransactionReceipt'],
  ])('a caller who gives up while it %s learns its hash, and goes on with it', async (_when, fault, method) => {
    proxy.setRules([{ fault, methods: [method] }])
    const call = register()
    await vi.waitFor(() => expect(proxy.faults().get('stall')).toBeGreaterThan(0), { timeout: 30_000 })
    caller.abort()
    const result = await call
    if (result.status !== 'pending') throw new Error(result.status)
    const [entry] = await journal.byRequest(result.resumeToken)
    expect(result).toMatchObject({ code: 'REGISTRATION_PENDING', txHash: entry?.hash })
    expect(result.warnings).toContainEqual(expect.stringMatching(/^The caller gave up\. Transaction 0x.*resume/))
    proxy.setRules([])
    caller = new AbortController()
    expect(await register({ resume: result.resumeToken })).toMatchObject({ status: 'registered', txHash: entry?.hash })
    expect(await agentsOfWallet()).toBe(1n)
  })

  test('an update that ends between two transactions names the ones that are mined', async () => {
    const { agentId } = await registered()
    let begun = 0
    const update = updateAgent(wallet, {
      ...given(),
      agentId,
      name: 'Bea',
      role: 'vault_creator',
      onProgress: ({ step }) => {
        if (step === 'resolve-gas' && (begun += 1) === 2) proxy.setRules([{ fault: stall }])
      },
    })
    await vi.waitFor(() => expect(proxy.faults().get('stall')).toBeGreaterThan(0), { timeout: 30_000 })
    caller.abort()
    await expect(update).rejects.toMatchObject({
      code: 'ABORTED',
      suggestion: expect.stringContaining('updateAgent again'),
      details: { agentId, txHashes: [expect.stringMatching(/^0x/)] },
    })
    proxy.setRules([])
    caller = new AbortController()
    const rest = await updateAgent(wallet, { ...given(), agentId, name: 'Bea', role: 'vault_creator' })
    expect(rest).toMatchObject({ status: 'updated', unchanged: false })
  })
})

/** Has the endpoint fall silent at a method, and the caller give up once it was asked. */
async function expectAborted(call: Promise<unknown>, method: string): Promise<void> {
  const struck = proxy.faults().get('stall') ?? 0
  proxy.setRules([{ fault: stall, methods: [method] }])
  await expectEnds(call, () => (proxy.faults().get('stall') ?? 0) > struck)
  proxy.setRules([])
}

async function expectEnds(call: Promise<unknown>, isAsked: () => boolean): Promise<void> {
  const outcome: Promise<unknown> = call.catch((error: unknown) => error)
  await vi.waitFor(() => expect(isAsked()).toBe(true), { timeout: 30_000 })
  caller.abort()
  expect(await outcome).toMatchObject({ name: 'WalletError', code: 'ABORTED' })
}

async function withSilentServer(work: (url: string, asked: () => boolean) => Promise<void>): Promise<void> {
  let count = 0
  const server: Server = createServer(() => {
    count += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    await work(`http://127.0.0.1:${port}`, () => count > 0)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const card = { name: 'Ada', role: 'vault_manager', mcpEndpoint: 'https://a.example/mcp' } as const

function given() {
  return {
    ...card,
    ipfsMode: 'inline',
    env: {},
    registry: { identity: devnet().registry.identity },
    loadIdentitySdk: () => Promise.resolve(null),
    records,
    journal,
    signal: caller.signal,
  } as const
}

function register(change: Partial<AgentRegistrationConfig> = {}) {
  return registerAgent(wallet, { ...given(), ...change })
}

async function registered() {
  const result = await register()
  if (result.status !== 'registered') throw new Error(result.status)
  return result
}

function reading(agentId: string): GetAgentOptions {
  return {
    agentId,
    registry: { identity: devnet().registry.identity },
    rpcUrls: wallet.rpcUrls,
    env: {},
    signal: caller.signal,
  }
}

async function minted(uri: string): Promise<string> {
  const account = privateKeyToAccount(devnet().accounts[0]!.privateKey)
  const client = createPublicClient({ transport: http(devnet().rpcUrl) })
  const sender = createWalletClient({ account, transport: http(devnet().rpcUrl) })
  const call = { address: devnet().registry.identity, abi, functionName: 'register', args: [uri], account } as const
  const { request, result } = await client.simulateContract(call)
  await awaitReceipt(client, await sender.writeContract({ ...request, chain: null }))
  return `31337:${result}`
}

function agentsOfWallet() {
  const client = createPublicClient({ transport: http(devnet().rpcUrl) })
  const { identity } = devnet().registry
  return client.readContract({ address: identity, abi, functionName: 'balanceOf', args: [wallet.address] })
}
