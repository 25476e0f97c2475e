import { failing, receiptsHidden, startFaultProxy, useDevnet, type Fault, type FaultProxy } from '@svc/devnet/testing'
import { createPublicClient, http, numberToHex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createMemoryRegistrationRecords, type RegistrationRecords } from './registration/registration-records.ts'
import { registerAgent } from './register-agent.ts'
import type { AgentRegistrationConfig, RegistrationResult } from './registration/registration.ts'
import { identityRegistryAbi as abi } from './registry/identity-registry.ts'

const devnet = useDevnet()

let proxy: FaultProxy
let wallet: ServiceWallet
let records: RegistrationRecords
let journal: Journal
beforeEach(async () => {
  proxy = await startFaultProxy({ target: devnet().rpcUrl })
  const rpcUrls = { 31337: proxy.url }
  wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  await devnet().fund(wallet.address, { ETH: '1' })
  records = createMemoryRegistrationRecords()
  journal = createMemoryJournal({ now: Date.now })
})
afterEach(async () => {
  await proxy.stop()
})

test.each<[string, Fault]>([
  ['eth_chainId', { kind: 'reset', forwarded: false }],
  ['eth_getCode', { kind: 'html' }],
  ['eth_call', failing('eth_call')],
  ['eth_estimateGas', { kind: 'status', status: 503 }],
  ['eth_maxPriorityFeePerGas', { kind: 'status', status: 429, retryAfterSeconds: 1 }],
  ['eth_getBlockByNumber', failing('eth_getBlockByNumber', -32_005, 'limit exceeded')],
  ['eth_getBalance', { kind: 'truncated' }],
  ['eth_getTransactionCount', failing('eth_getTransactionCount')],
])('an endpoint that fails at %s leaves nothing half-done: %j', async (method, fault) => {
  proxy.setRules([{ fault, methods: [method] }])
  const error = await register().catch((cause: unknown) => cause)
  expect(error).toMatchObject({
    name: 'WalletError',
    code: 'RPC_UNAVAILABLE',
    suggestion: expect.stringMatching(/./),
    docs: 'docs/wallet-errors.md#rpc_unavailable',
  })
  expect([...proxy.methods().values()].reduce((sum, calls) => sum + calls, 0)).toBeLessThan(60)
  expect(proxy.rawTransactions().size).toBe(0)
  expect(await journal.open(31337, wallet.address)).toEqual([])
  expect([null, 'failed']).toContain(await stateOfRecord())
  await expectOneIdentity()
})

describe('once a transaction may be out', () => {
  test.each<[string, Fault, string]>([
    ['breaks off after it took it', { kind: 'reset', forwarded: true }, 'eth_sendRawTransaction'],
    ['takes it with half an answer', { kind: 'truncated' }, 'eth_sendRawTransaction'],
    [
      'takes it and says that it did not',
      failing('eth_sendRawTransaction', -32_000, 'rejected'),
      'eth_sendRawTransaction',
    ],
    ['hides what became of it', receiptsHidden(), 'eth_getTransactionReceipt'],
    ['does not answer what became of it', { kind: 'status', status: 502 }, 'eth_getTransactionReceipt'],
  ])('an endpoint that %s is asked on, and one transaction is all there is', async (_what, fault, method) => {
    proxy.setRules([{ fault, methods: [method], ...(method === 'eth_sendRawTransaction' && { times: 1 }) }])
    const stop = new AbortController()
    const first = await register({
      signal: stop.signal,
      // Nobody waits for ever: what is not known by then is pending.
      onProgress: ({ step }) => {
        if (step === 'confirm' && method === 'eth_getTransactionReceipt') stop.abort()
      },
    })
    const [raw, ...others] = proxy.rawTransactions().keys()
    expect([raw, others]).toEqual([expect.stringMatching(/^0x02/), []])
    proxy.setRules([])
    const resume = first.status === 'registered' ? {} : { resume: tokenOf(first) }
    const result = await register(resume)
    expect(result).toMatchObject({ status: 'registered', txHash: hashIn(first) })
    expect([...proxy.rawTransactions().keys()]).toEqual([raw])
    await expectOneIdentity()
  })
})

test.each<[string, Fault, string]>([
  ['fails at the count', failing('eth_call'), 'eth_call'],
  ['calls the count a revert', failing('eth_call', 3, 'execution reverted'), 'eth_call'],
  ['fails at the events', failing('eth_getLogs'), 'eth_getLogs'],
  ['fails at the newest block', failing('eth_blockNumber'), 'eth_blockNumber'],
])('a wallet that is registered gets no second identity from an endpoint that %s', async (_what, fault, method) => {
  await register({ records: createMemoryRegistrationRecords(), journal: createMemoryJournal({ now: Date.now }) })
  proxy.setRules([{ fault, methods: [method] }])
  await expect(register()).rejects.toMatchObject({ name: 'WalletError', code: 'RPC_UNAVAILABLE' })
  await expectOneIdentity()
})

test('what the wallet recorded counts more than an endpoint that counts no agents yet', async () => {
  await register()
  const none = (answer: unknown) => (answer === numberToHex(1, { size: 32 }) ? numberToHex(0, { size: 32 }) : answer)
  proxy.setRules([{ fault: { kind: 'lie', method: 'eth_call', change: none }, methods: ['eth_call'] }])
  expect(await register()).toMatchObject({ status: 'registered', alreadyRegistered: true })
  proxy.setRules([{ fault: failing('eth_call', 3, 'execution reverted'), methods: ['eth_call'] }])
  await expect(register()).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  await expectOneIdentity()
})

/** The next call, once the endpoint is well: it registers, or finds what is registered, and no more. */
async function expectOneIdentity(): Promise<void> {
  proxy.setRules([])
  expect(await register()).toMatchObject({ status: 'registered' })
  const client = createPublicClient({ transport: http(devnet().rpcUrl) })
  const { identity: address } = devnet().registry
  const read = { address, abi, functionName: 'balanceOf', args: [wallet.address] } as const
  expect(await client.readContract(read)).toBe(1n)
  expect(await client.getTransactionCount({ address: wallet.address })).toBe(1)
  expect(await journal.open(31337, wallet.address)).toEqual([])
}

function register(change: Partial<AgentRegistrationConfig> = {}): Promise<RegistrationResult> {
  return registerAgent(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: { identity: devnet().registry.identity, form: 'erc8004-v1' },
    chains: [devnet().chain],
    env: {},
    records,
    journal,
    ...change,
  })
}

async function stateOfRecord(): Promise<string | null> {
  return (await records.find(31337, devnet().registry.identity, wallet.address))?.state ?? null
}

function tokenOf(result: RegistrationResult): string {
  if (result.status === 'registered') throw new Error('It is registered.')
  return result.resumeToken
}

function hashIn(result: RegistrationResult): string | null {
  return result.status === 'deferred' ? null : result.txHash
}
