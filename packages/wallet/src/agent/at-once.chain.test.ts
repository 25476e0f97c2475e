import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, createTestClient, http, parseEther } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { createEIP1193Provider } from '../provider/create-eip1193-provider.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { getAgent } from './lookup/read-agents.ts'
import { createMemoryRegistrationRecords } from './registration/registration-records.ts'
import { registerAgent, updateAgent, type AgentUpdateConfig } from './register-agent.ts'
import type { AgentRegistrationConfig, RegisteredAgent } from './registration/registration.ts'
import { identityRegistryAbi as abi } from './registry/identity-registry.ts'

const devnet = useDevnet()

let wallet: ServiceWallet
beforeEach(async () => {
  wallet = walletOn({ chainId: 31337 })
  await fund('1')
})

describe('of three calls at once for one wallet', () => {
  test.each([
    ['the memory of the wallet object', () => ({})],
    [
      'records and journal',
      () => ({ records: createMemoryRegistrationRecords(), journal: createMemoryJournal({ now: Date.now }) }),
    ],
  ])('that share %s one registers, and the others find what it registered', async (_what, made) => {
    const kept = made()
    const results = await Promise.all(['Ada', 'Bea', 'Cleo'].map((name) => register({ ...kept, name })))
    expect(new Set(results.map(({ agentId }) => agentId)).size).toBe(1)
    expect(results.map(({ alreadyRegistered }) => `${alreadyRegistered}`).toSorted()).toEqual(['false', 'true', 'true'])
    expect(await agents()).toBe(1n)
    expect(await nonce()).toBe(1)
  })

  test('each registers where it is told to', async () => {
    const results = await Promise.all([1, 2, 3].map(() => register({ force: true })))
    expect(new Set(results.map(({ agentId }) => agentId)).size).toBe(3)
    expect(await agents()).toBe(3n)
  })

  test('those behind one that fails register by themselves, once', async () => {
    const failing = register({ ipfsMode: 'nowhere' as never })
    const others = [register({}), register({})]
    await expect(failing).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
    const ids = (await Promise.all(others)).map(({ agentId }) => agentId)
    expect(ids[0]).toBe(ids[1])
    expect(await agents()).toBe(1n)
  })

  test('one that waits can be called off', async () => {
    const calling = new AbortController()
    const first = register({ onProgress: ({ step }) => step === 'sign' && calling.abort() })
    await expect(register({ signal: calling.signal })).rejects.toMatchObject({ name: 'WalletError', code: 'ABORTED' })
    expect(await first).toMatchObject({ alreadyRegistered: false })
    expect(await agents()).toBe(1n)
  })
})

describe('of two updates at once of one agent', () => {
  test('that want the same one is sent', async () => {
    const { agentId } = await register({})
    const results = await Promise.all([1, 2].map(() => update({ agentId, description: 'Says more.' })))
    expect(results.map(({ unchanged }) => `${unchanged}`).toSorted()).toEqual(['false', 'true'])
    expect(await nonce()).toBe(2)
  })

  test('that want different things both happen', async () => {
    const { agentId } = await register({})
    await Promise.all([update({ agentId, description: 'Says more.' }), update({ agentId, name: 'Bea' })])
    const { registrationFile } = await getAgent({
      agentId,
      registry: { identity: registry() },
      chains: [devnet().chain],
      rpcUrls: { 31337: devnet().rpcUrl },
    })
    expect(registrationFile).toMatchObject({ description: 'Says more.', name: 'Bea' })
  })
})

describe('a token', () => {
  test('is all that a later call on the wallet object needs, but for the chains of its own', async () => {
    wallet = walletOn({})
    await fund('0')
    const waiting = await registerAgent(wallet, { ...options({}), chainId: 31337, gas: { manualWaitMs: 0 } })
    if (waiting.status !== 'deferred') throw new Error(waiting.status)
    await fund('1')
    const [resume, chains] = [waiting.resumeToken, [devnet().chain]]
    const result = await registerAgent(wallet, { resume, chains })
    expect(result).toMatchObject({ status: 'registered', alreadyRegistered: false, owner: wallet.address })
    expect(await registerAgent(wallet, { resume, chains })).toMatchObject({ alreadyRegistered: true })
    expect(await agents()).toBe(1n)
  })

  test('of another wallet object is not known', async () => {
    await fund('0')
    const waiting = await registerAgent(wallet, options({ gas: { manualWaitMs: 0 } }))
    if (waiting.status !== 'deferred') throw new Error(waiting.status)
    const again = registerAgent(walletOn({ chainId: 31337 }), { ...options({}), resume: waiting.resumeToken })
    await expect(again).rejects.toMatchObject({ code: 'RESUME_TOKEN_INVALID' })
  })
})

test('what the provider of a wallet sends is in the journal that its registration goes by', async () => {
  const provider = createEIP1193Provider(wallet, { chains: [devnet().chain] })
  const call = { from: wallet.address, to: wallet.address, value: '0x1' }
  const [hash] = await Promise.all([
    provider.request({ method: 'eth_sendTransaction', params: [call] }),
    register({ name: 'Ada' }),
  ])
  expect(await wallet.memory.journal.nextNonce(31337, wallet.address)).toBe(2)
  expect(await wallet.memory.journal.byHash(String(hash) as `0x${string}`)).not.toBeNull()
})

function options(change: Partial<AgentRegistrationConfig>): AgentRegistrationConfig {
  return {
    name: 'Ada',
    role: 'vault_manager',
    ipfsMode: 'inline',
    registry: { identity: registry() },
    chains: [devnet().chain],
    env: {},
    ...change,
  }
}

async function register(change: Partial<AgentRegistrationConfig>): Promise<RegisteredAgent> {
  const result = await registerAgent(wallet, options(change))
  if (result.status !== 'registered') throw new Error(`It is ${result.status}.`)
  return result
}

async function update(change: Omit<AgentUpdateConfig, 'registry'>) {
  const result = await updateAgent(wallet, { registry: { identity: registry() }, chains: [devnet().chain], ...change })
  if (result.status !== 'updated') throw new Error(`It is ${result.status}.`)
  return result
}

function walletOn(chain: { readonly chainId?: number }): ServiceWallet {
  const privateKey = generatePrivateKey()
  return new ServiceWallet({ mode: 'local', privateKey, rpcUrls: { 31337: devnet().rpcUrl }, ...chain })
}

const registry = () => devnet().registry.identity
const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const agents = () =>
  client().readContract({ address: registry(), abi, functionName: 'balanceOf', args: [wallet.address] })
const nonce = () => client().getTransactionCount({ address: wallet.address })

function fund(ether: string) {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  return node.setBalance({ address: wallet.address, value: parseEther(ether) })
}
