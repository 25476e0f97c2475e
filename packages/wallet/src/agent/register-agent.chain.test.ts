import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import {
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  hexToString,
  http,
  parseAbi,
  parseEther,
  parseGwei,
  walletActions,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import type { WalletError } from '../wallet-error.ts'
import { createFileRegistrationRecords } from './registration/file-registration-records.ts'
import { linkRegistration, registerAgent } from './register-agent.ts'
import { createMemoryRegistrationRecords } from './registration/registration-records.ts'
import { planRegistration } from './registration/plan-registration.ts'
import type {
  AgentRegistrationConfig,
  IpfsMode,
  RegisteredAgent,
  RegistrationProgress,
} from './registration/registration.ts'
import { handleV0, identityRegistryAbi as abi } from './registry/identity-registry.ts'

const devnet = useDevnet()
const mcpEndpoint = 'https://agent.example/mcp'
const missingSdk = () =>
  Promise.reject(Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' }))

const about = (warning: string) => warning.includes('leaves out')

let wallet: ServiceWallet
beforeEach(async () => {
  wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: devnet().rpcUrl },
  })
  await fund('1')
})

describe('an agent', () => {
  test.each([
    ['through the SDK, with the file in the URI', 'sdk-inline', [], {}],
    [
      'by the call of the registry itself',
      'direct-contract',
      [
        expect.stringMatching(
          /leaves out: the a2a service, image, domains, trust\. .* no identity SDK \(agent0-sdk\) is there.*; updateAgent adds/,
        ),
      ],
      { loadIdentitySdk: missingSdk },
    ],
  ])('is registered %s', async (_how, method, warnings, surroundings) => {
    const shown = { a2aEndpoint: 'https://agent.example', image: 'https://agent.example/image.png' }
    const result = await register({ ...shown, ...surroundings })
    expect(result).toMatchObject({
      status: 'registered',
      registrationMethod: method,
      agentId: `31337:${result.tokenId}`,
      agentRegistry: `eip155:31337:${registry()}`,
      owner: wallet.address,
      chainId: 31337,
      gasTier: 'wallet',
      alreadyRegistered: false,
      warnings,
    })
    const [skipped] = result.attempts
    expect(skipped?.tier).toBe(method === 'direct-contract' ? 'sdk-inline' : 'wallet')
    const id = BigInt(result.tokenId)
    expect(await agentOf('ownerOf', id)).toBe(wallet.address)
    expect(await agentOf('tokenURI', id)).toBe(result.agentURI)
    expect(await metadata(id, 'role')).toBe('vault_manager')
    expect(await metadata(id, 'vault:chain')).toBe('31337')
    expect(fileIn(result.agentURI)).toMatchObject({
      type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
      name: 'Ada',
      services: [
        { name: 'MCP', endpoint: mcpEndpoint },
        ...(method === 'sdk-inline' ? [{ name: 'A2A' }, { name: 'OASF' }] : []),
      ],
    })
  })

  test('whose small file has the domains, for want of another service, is not told that they are left out', async () => {
    const { agentURI, warnings } = await register({ mcpEndpoint: undefined, loadIdentitySdk: missingSdk })
    expect(fileIn(agentURI)).toMatchObject({
      services: [{ name: 'OASF', domains: [expect.any(String), expect.any(String)] }],
    })
    expect(warnings.find(about)).toMatch(
      /leaves out: trust\. .*all of it with replace: true and the options of this call/,
    )
  })

  test('that is registered already keeps its identity, whoever remembers it', async () => {
    const records = createMemoryRegistrationRecords()
    const first = await register({ records })
    const before = await nonce()
    expect(await register({ records })).toMatchObject({ agentId: first.agentId, alreadyRegistered: true })
    expect(await register({})).toMatchObject({ agentId: first.agentId, alreadyRegistered: true, txHash: null })
    expect(await nonce()).toBe(before)
    const second = await register({ force: true })
    expect(second).toMatchObject({ alreadyRegistered: false })
    expect(BigInt(second.tokenId)).toBeGreaterThan(BigInt(first.tokenId))
  })

  test('that is registered already is refused a card that is none, as one that is not', async () => {
    await register({})
    const wrong = { mcpEndpoint: 'javascript:alert(1)', metadata: { agentWallet: '0x12' } }
    await expect(register(wrong)).rejects.toMatchObject({
      code: 'VALIDATION_CARD_INVALID',
      details: { fields: [{ field: 'mcpEndpoint' }, { field: 'metadata.agentWallet' }] },
    })
    await expect(register(wrong)).rejects.toThrow(
      'metadata.agentWallet (accepted: no such key: it is kept by the registry)',
    )
  })

  test.each<[string, Partial<AgentRegistrationConfig>, RegExp[]]>([
    [
      'proxy',
      { ipfsMode: 'proxy', apiUrl: 'http://127.0.0.1:9' },
      [/^Nothing was pinned by ipfsMode "proxy": .* without the identity SDK \(agent0-sdk\)/],
    ],
    ['pinata', { ipfsMode: 'pinata', pinningJwt: 'jwt-1' }, [/^Nothing was pinned by ipfsMode "pinata": /]],
    ['inline', { ipfsMode: 'inline' }, []],
  ])('hears without the SDK what came of the mode %s', async (_mode, choice, said) => {
    const { warnings } = await register({ loadIdentitySdk: missingSdk, ...choice })
    expect(warnings.slice(1)).toEqual(said.map((words) => expect.stringMatching(words)))
  })

  describe.each<[string, Partial<AgentRegistrationConfig>]>([
    ['with its file in the URI', {}],
    ['by the call of the registry itself', { loadIdentitySdk: missingSdk }],
  ])('that was registered %s', (_how, way) => {
    const stays = [expect.stringMatching(/^The wallet is registered already as agent 31337:\d+, .* updateAgent\.$/)]

    test.each<[string, Partial<AgentRegistrationConfig>]>([
      ['name', { name: 'Bea' }],
      ['role', { role: 'vault_creator' }],
      ['endpoint', { mcpEndpoint: 'https://other.example/mcp' }],
      ['metadata', { metadata: { 'fee:bps': '20' } }],
    ])('stays as it stands when it is asked for with another %s, and the result says so', async (_what, change) => {
      const first = await register(way)
      const before = await nonce()
      const again = await register({ ...way, ...change })
      expect([again.agentId, again.agentURI, await nonce()]).toEqual([first.agentId, first.agentURI, before])
      expect(again.warnings).toEqual(stays)
    })

    test('stands with its card without a word more, whoever remembers it', async () => {
      await register(way)
      const records = createMemoryRegistrationRecords()
      for (const change of [{}, { records }])
        expect(await register({ ...way, ...change })).toMatchObject({ alreadyRegistered: true, warnings: [] })
    })
  })

  test('whose file was linked since stands with its card all the same', async () => {
    const { agentId } = await register({})
    await linkRegistration(wallet, { agentId, registry: { identity: registry() }, chains: [devnet().chain], env: {} })
    expect(await register({})).toMatchObject({ agentId, warnings: [] })
  })

  test('without gas is deferred, and registered once it has some', async () => {
    await fund('0')
    const [records, journal] = [createMemoryRegistrationRecords(), createMemoryJournal({ now: Date.now })]
    const waiting = await registerAgent(wallet, options({ records, journal, gas: { manualWaitMs: 0 } }))
    if (waiting.status !== 'deferred') throw new Error(waiting.status)
    expect(waiting.fund).toMatchObject({ address: wallet.address, currency: 'ETH' })
    expect(await nonce()).toBe(0)
    await fund('1')
    expect(await register({ records, journal, resume: waiting.resumeToken })).toMatchObject({ status: 'registered' })
    expect(await agents()).toBe(1n)
  })

  test('that is gone on with is told once more what its small file leaves out, also out of a file of records', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'records-'))
    try {
      const path = join(folder, 'records.json')
      const journal = createMemoryJournal({ now: Date.now })
      await fund('0')
      const first = { records: createFileRegistrationRecords(path), loadIdentitySdk: missingSdk }
      const waiting = await registerAgent(wallet, options({ ...first, journal, gas: { manualWaitMs: 0 } }))
      if (waiting.status !== 'deferred') throw new Error(waiting.status)
      await fund('1')
      const records = createFileRegistrationRecords(path)
      const leavesOut = expect.stringMatching(/leaves out: domains, trust/)
      const { warnings } = await register({ records, journal, resume: waiting.resumeToken })
      expect([waiting.warnings.filter(about), warnings]).toEqual([[leavesOut], [leavesOut]])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('is not registered again by what another process began and never signed', async () => {
    const [records, journal] = [createMemoryRegistrationRecords(), createMemoryJournal({ now: Date.now })]
    const { agentId, tokenId } = await register({ records, journal })
    const registered = await records.find(31337, registry(), wallet.address)
    if (registered === null) throw new Error('It keeps no record.')
    const begun = { ...registered, token: 'begun', state: 'prepared', txHash: null, tokenId: null } as const
    await records.save({ ...begun, updatedAt: registered.updatedAt + 1 })
    expect(await register({ records, journal })).toMatchObject({ agentId, tokenId, alreadyRegistered: true })
    expect(await records.load('begun')).toMatchObject({ state: 'failed' })
    expect(await agents()).toBe(1n)
  })

  test('is not registered again by a process that begins where another died', async () => {
    const [records, journal] = [createMemoryRegistrationRecords(), createMemoryJournal({ now: Date.now })]
    const dies: typeof records = {
      ...records,
      async save(record) {
        if (record.state === 'registered') throw new Error('killed')
        await records.save(record)
      },
    }
    await expect(register({ records: dies, journal })).rejects.toThrow('killed')
    expect(await register({ records, journal })).toMatchObject({ status: 'registered', alreadyRegistered: false })
    expect(await agents()).toBe(1n)
  })
})

test('a plan at a registry of the older form says that nothing is pinned, and needs the JWT of its mode', async () => {
  const place = { chainId: 31337, owner: wallet.address, rpcUrls: wallet.rpcUrls }
  const plan = (ipfsMode: IpfsMode) =>
    planRegistration({ ...options({ ipfsMode }), ...place, registry: { identity: devnet().registry.handle } })
  expect((await plan('proxy')).warnings).toContainEqual(
    expect.stringMatching(/^Nothing was pinned by ipfsMode "proxy": a registry of the form handle-v0/),
  )
  expect((await plan('inline')).warnings).toHaveLength(1)
  await expect(plan('pinata')).rejects.toMatchObject({ code: 'VALIDATION_PINNING_JWT_MISSING' })
})

test('a registration that reverts in its block says what the contract said', async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }).extend(walletActions)
  const rival = privateKeyToAccount(devnet().accounts[8]!.privateKey)
  const name = wallet.address
  const taking = handleV0.encodeRegister({ handle: name, metadataURI: 'data:,', interfaceType: 'none', metadata: {} })
  const overtaken: Promise<void>[] = []
  const overtake = async () => {
    const fees = { maxFeePerGas: parseGwei('500'), maxPriorityFeePerGas: parseGwei('400'), gas: 1_000_000n }
    await node.sendTransaction({ account: rival, to: devnet().registry.handle, data: taking, chain: null, ...fees })
    await node.mine({ blocks: 1 })
  }
  await node.setAutomine(false)
  try {
    const onProgress = ({ step }: RegistrationProgress) => {
      if (step === 'confirm' && overtaken.length === 0) overtaken.push(overtake())
    }
    const outcome = register({ name, registry: { identity: devnet().registry.handle }, onProgress })
    await expect(outcome).rejects.toMatchObject({
      code: 'REGISTRATION_REVERTED',
      message: 'The registration was mined and reverted: handle taken.',
    })
  } finally {
    await Promise.all(overtaken)
    await node.setAutomine(true)
  }
})

test.each([
  ['gives the agents away', () => encodeFunctionData({ abi: operators, args: [zeroAddress, true] })],
  ['registers another URI', () => encodeFunctionData({ abi, functionName: 'register', args: ['ipfs://other'] })],
  [
    'adds an entry',
    () =>
      encodeFunctionData({ abi, functionName: 'register', args: ['', [{ metadataKey: 'a', metadataValue: '0x' }]] }),
  ],
])('an SDK that %s has nothing signed, and the registry is called directly', async (_what, tampered) => {
  const result = await register({ loadIdentitySdk: async () => tamperedSdk(tampered) })
  expect(result).toMatchObject({
    registrationMethod: 'direct-contract',
    warnings: expect.arrayContaining([expect.stringContaining('SDK failed')]),
  })
  expect(await nonce()).toBe(1)
})

test('every way a registration ends can be written as JSON', async () => {
  const gas = { tiers: ['wallet', 'manual'], manualWaitMs: 0 } as const
  const poor = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: devnet().rpcUrl },
  })
  const given: AgentRegistrationConfig = {
    name: 'Ada',
    role: 'vault_manager',
    ipfsMode: 'inline',
    registry: { identity: registry() },
  }
  const details: unknown[] = []
  const deferred = await registerAgent(poor, { ...given, gas, onProgress: (event) => void details.push(event) })
  expect(deferred).toMatchObject({ status: 'deferred', fund: { amountWei: expect.stringMatching(/^[1-9]\d*$/) } })
  const registered = await registerAgent(wallet, given)
  expect(registered).toMatchObject({ status: 'registered' })
  const refused: unknown = await registerAgent(wallet, { ...given, force: true, gas: { maxFeeWei: 1n } }).catch(
    (error: unknown) => error,
  )
  expect(refused).toMatchObject({ code: 'GAS_ABOVE_LIMIT', details: { maxFeeWei: '1' } })
  for (const value of [deferred, registered, details, (refused as WalletError).details]) {
    expect(JSON.parse(JSON.stringify(value))).toEqual(value)
  }
})

test('the row of a chain may name its registry', async () => {
  const { agentRegistry } = await register({ registry: {}, chains: [devnet().chain] })
  expect(agentRegistry).toBe(`eip155:31337:${registry()}`)
})

test('a chain without a registry is refused before anybody is asked', async () => {
  const fetches: unknown[] = []
  const unfetched = (async (...words: unknown[]) => void fetches.push(words)) as never
  await expect(register({ chainId: 10, registry: {}, fetch: unfetched })).rejects.toMatchObject({
    code: 'VALIDATION_CHAIN_NOT_SUPPORTED',
    suggestion: expect.stringContaining('8453'),
    details: { knownRegistry: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432' },
  })
  await expect(register({ registry: {} })).rejects.toMatchObject({ code: 'VALIDATION_CHAIN_NOT_SUPPORTED' })
  expect(fetches).toEqual([])
})

test.each([
  [
    'an address without code',
    { registry: { identity: '0x00000000000000000000000000000000000000aa' } },
    'REGISTRY_NOT_DEPLOYED',
  ],
  [
    'a contract that is no registry',
    { registry: { identity: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
    'VALIDATION_REGISTRY_ABI_UNKNOWN',
  ],
  ['an endpoint of another chain', { chainId: 8453 }, 'RPC_CHAIN_MISMATCH'],
] as const)('%s is refused before anything is sent', async (_what, change, code) => {
  wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: devnet().rpcUrl, 8453: devnet().rpcUrl },
  })
  await fund('1')
  await expect(register(change)).rejects.toMatchObject({ code })
  expect(await nonce()).toBe(0)
})

function options(change: Partial<AgentRegistrationConfig>): AgentRegistrationConfig {
  const registered = { identity: registry() }
  return {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint,
    ipfsMode: 'inline',
    registry: registered,
    env: {},
    ...change,
  }
}

async function register(change: Partial<AgentRegistrationConfig>): Promise<RegisteredAgent> {
  const result = await registerAgent(wallet, options(change))
  if (result.status !== 'registered') throw new Error(`It is ${result.status}.`)
  return result
}

const registry = () => devnet().registry.identity
const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const agentOf = (functionName: 'ownerOf' | 'tokenURI', id: bigint) =>
  client().readContract({ address: registry(), abi, functionName, args: [id] })
const agents = () =>
  client().readContract({ address: registry(), abi, functionName: 'balanceOf', args: [wallet.address] })
const nonce = () => client().getTransactionCount({ address: wallet.address })

async function metadata(id: bigint, key: string): Promise<string> {
  return hexToString(
    await client().readContract({ address: registry(), abi, functionName: 'getMetadata', args: [id, key] }),
  )
}

function fund(ether: string) {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  return node.setBalance({ address: wallet.address, value: parseEther(ether) })
}

function fileIn(uri: string): unknown {
  return JSON.parse(Buffer.from(uri.replace('data:application/json;base64,', ''), 'base64').toString())
}

const operators = parseAbi(['function setApprovalForAll(address operator, bool approved)'])

/** An identity SDK whose transaction to the registry is changed on its way to the wallet. */
function tamperedSdk(tampered: () => string): unknown {
  return {
    SDK: class {
      readonly #wallet: { request(words: unknown): Promise<unknown> }
      constructor({ walletProvider }: { walletProvider: { request(words: unknown): Promise<unknown> } }) {
        this.#wallet = walletProvider
      }
      createAgent() {
        const registerHTTP = () =>
          this.#wallet.request({ method: 'eth_sendTransaction', params: [{ to: registry(), data: tampered() }] })
        return { setMetadata: () => {}, registerHTTP }
      }
    },
  }
}
