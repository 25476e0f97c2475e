import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  type EIP1193RequestFn,
  encodeFunctionData,
  http,
  parseAbi,
  parseEther,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { chains } from '../../chains.ts'
import { ServiceWallet } from '../../service-wallet.ts'
import { findAgents, getAgent } from './read-agents.ts'
import { planRegistration, type PlanOptions } from '../registration/plan-registration.ts'
import { registerAgent } from '../register-agent.ts'
import type { AgentRegistrationConfig } from '../registration/registration.ts'
import { registeredAgentIn, identityRegistryAbi } from '../registry/identity-registry.ts'

const devnet = useDevnet()
const abi = [...identityRegistryAbi, ...parseAbi(['function transferFrom(address from, address to, uint256 tokenId)'])]

let account: Owner
beforeEach(async () => {
  account = await funded()
})

describe('an agent that is looked at', () => {
  test('is what was registered', async () => {
    const registered = await register(account)
    const agent = await getAgent({ ...place(), agentId: registered.agentId })
    expect(agent).toMatchObject({
      agentId: registered.agentId,
      tokenId: registered.tokenId,
      chainId: 31337,
      agentRegistry: registered.agentRegistry,
      owner: account.address,
      agentWallet: account.address,
      agentURI: registered.agentURI,
      metadata: { role: 'vault_manager', 'vault:chain': '31337', 'protocol:name': 'svc' },
      registrationFile: {
        name: 'Ada',
        services: [{ name: 'MCP', endpoint: 'https://agent.example/mcp' }, { name: 'OASF' }],
        metadata: { role: 'vault_manager' },
      },
      fileStatus: 'inline',
      warnings: [],
    })
  })

  test('shows every entry that its registration wrote, and says where the endpoint does not name them', async () => {
    const metadata = { team: 'blue', note: 'It is mine.' }
    const card = { image: 'https://agent.example/a.png', metadata, loadIdentitySdk: () => Promise.resolve(null) }
    const { agentId, registrationMethod } = await register(account, card)
    expect(registrationMethod).toBe('direct-contract')
    const agent = await getAgent({ ...place(), agentId })
    expect(agent).toMatchObject({ registrationFile: { metadata: {} }, warnings: [] })
    const written = { 'protocol:name': 'svc', role: 'vault_manager', 'vault:chain': '31337', image: card.image }
    expect(agent.metadata).toEqual({ handle: 'Ada', interfaceType: 'mcp', ...written, ...metadata })
    const withoutEvents = createPublicClient({ transport: custom({ request: refusing('eth_getLogs') }) })
    const seen = await getAgent({ ...place(), rpcUrls: {}, client: withoutEvents, agentId })
    expect(seen.metadata).toEqual({ handle: 'Ada', interfaceType: 'mcp', ...written })
    expect(seen.warnings).toEqual([expect.stringMatching(/does not name every on-chain entry/)])
  })

  test('by a client of the caller, no other is built', async () => {
    const { agentId } = await register(account)
    const { rpcUrls: _none, ...bare } = place()
    const client = createPublicClient({ transport: http(devnet().rpcUrl) })
    expect(await getAgent({ ...bare, client, agentId })).toMatchObject({ owner: account.address })
  })

  test('whose URI leads elsewhere is shown, and nobody is asked for its file', async () => {
    const asked: unknown[] = []
    const fetch = ((...words: unknown[]) => Promise.reject(asked.push(words))) as never
    const uris = ['https://169.254.169.254/latest', 'ipfs://bafkreiabc', '', 'javascript:1', 'data:application/json,{']
    const seen: string[] = []
    for (const uri of uris) {
      const [tokenId] = await mint(account, uri)
      const agent = await getAgent({ ...place(), fetch, env: {}, agentId: `31337:${tokenId}` })
      expect(agent).toMatchObject({ agentURI: uri, registrationFile: null, metadata: {} })
      seen.push(agent.fileStatus)
    }
    expect(seen).toEqual(['not-fetched', 'not-fetched', 'invalid', 'invalid', 'invalid'])
    expect(asked).toEqual([])
  })

  test('of a registry of handles has a URI and an owner', async () => {
    const identity = devnet().registry.handle
    const plan = await planRegistration({ ...asPlanned(account), registry: { identity } })
    expect(plan).toMatchObject({ form: 'handle-v0' })
    const { agentId } = registeredAgentIn(await logsOf(account, plan), plan)
    expect(await getAgent({ ...place(), registry: { identity }, agentId })).toMatchObject({
      owner: account.address,
      agentURI: plan.agentURI,
      agentWallet: null,
      metadata: {},
      registrationFile: { name: account.address, services: [{ name: 'MCP' }] },
    })
    expect(
      await findAgents({ ...place(), registry: { identity }, chainId: 31337, owner: account.address }),
    ).toMatchObject({
      agents: [],
      complete: false,
    })
  })

  test.each([
    ['that is not there', { agentId: '31337:999999' }, 'AGENT_NOT_FOUND'],
    ['of a malformed id', { agentId: '31337:01' }, 'VALIDATION_CONFIG_INVALID'],
    ['of an id too large', { agentId: `31337:${2n ** 256n}` }, 'VALIDATION_CONFIG_INVALID'],
    ['of a chain without a registry', { agentId: '10:1', registry: {} }, 'VALIDATION_CHAIN_NOT_SUPPORTED'],
    [
      'at an address without code',
      { registry: { identity: '0x00000000000000000000000000000000000000aa' } },
      'REGISTRY_NOT_DEPLOYED',
    ],
    ['through an endpoint of another chain', { agentId: '8453:0' }, 'RPC_CHAIN_MISMATCH'],
    ['through a dead endpoint', { rpcUrls: { 31337: 'http://127.0.0.1:9' } }, 'RPC_UNAVAILABLE'],
    ['with a gateway that is none', { gatewayUrl: 'file:///etc' }, 'VALIDATION_CONFIG_INVALID'],
  ] as const)('%s is an error with its code', async (_what, change, code) => {
    await mint(account, '')
    await expect(getAgent({ ...place(), agentId: '31337:0', ...change })).rejects.toMatchObject({ code })
  })
})

describe('the agents of an owner', () => {
  test('are those held now, the newest first, and it is said who registered them', async () => {
    expect(await found(account)).toMatchObject({ agents: [], complete: true })
    const giver = await funded()
    const [first, second] = [...(await mint(account, 'a')), ...(await mint(account, 'b'))]
    const [gift] = await mint(giver, 'c')
    await give(second, account, giver)
    await give(gift, giver, account)
    expect(await found(account)).toMatchObject({
      agents: [
        { agentId: `31337:${gift}`, tokenId: `${gift}`, origin: 'received' },
        { agentId: `31337:${first}`, tokenId: `${first}`, origin: 'registered' },
      ],
      complete: true,
    })
  })

  test('are found piece by piece where the endpoint refuses wide spans', async () => {
    const [first, second] = [...(await mint(account, 'a')), ...(await mint(account, 'b'))]
    const client = createPublicClient({ transport: http(devnet().rpcUrl) })
    const narrow = new Proxy(client, {
      get: (target, member) =>
        member === 'getContractEvents'
          ? (query: { readonly fromBlock: bigint; readonly toBlock: bigint }) =>
              query.toBlock - query.fromBlock < 2n
                ? target.getContractEvents(query as never)
                : Promise.reject(new Error('range too wide'))
          : Reflect.get(target, member),
    })
    const row = { ...chains[0]!, id: 31337, logRangeBlocks: 2 }
    const sought = { ...place(), chains: [row], client: narrow, chainId: 31337, owner: account.address }
    const agents = [{ tokenId: `${second}` }, { tokenId: `${first}` }]
    expect(await findAgents(sought)).toMatchObject({ agents, complete: true })
  })
})

test('an agent that a stranger sent is not taken for the identity of the wallet', async () => {
  const stranger = await funded()
  const [gift] = await mint(stranger, 'https://stranger.example')
  await give(gift, stranger, account)
  const registered = await register(account)
  expect(registered).toMatchObject({
    alreadyRegistered: false,
    warnings: [expect.stringContaining('others registered')],
  })
  expect(await register(account)).toMatchObject({ alreadyRegistered: true, agentId: registered.agentId })
})

describe('a registration that is planned', () => {
  test('comes to the identity that the receipt of its call shows', async () => {
    const plan = await planRegistration(asPlanned(account))
    const { agentId, tokenId } = registeredAgentIn(await logsOf(account, plan), plan)
    expect(plan).toMatchObject({
      registrationMethod: 'direct-contract',
      form: 'erc8004-v1',
      to: devnet().registry.identity,
    })
    expect(agentId).toBe(`31337:${tokenId}`)
    expect(await getAgent({ ...place(), agentId })).toMatchObject({
      owner: account.address,
      agentURI: plan.agentURI,
      metadata: { role: 'vault_creator', handle: account.address, interfaceType: 'mcp' },
      fileStatus: 'inline',
      registrationFile: { name: account.address },
    })
  })

  test('with a pin that is only reckoned asks nobody; with one that fails it falls back, and says so', async () => {
    const asked: string[] = []
    const fetch = ((url: string) => Promise.reject(asked.push(url))) as never
    const proxied = {
      ...asPlanned(account),
      ipfsMode: 'proxy',
      apiUrl: 'http://127.0.0.1:9',
      appId: 'app',
      fetch,
    } as const
    expect((await planRegistration({ ...proxied, pin: false })).agentURI).toMatch(/^ipfs:\/\/bafkrei[a-z2-7]{52}$/)
    expect(asked).toEqual([])
    const fallen = await planRegistration(proxied)
    expect(fallen.agentURI).toMatch(/^data:application\/json;base64,/)
    expect(fallen.attempts).toMatchObject([{ outcome: 'failed', code: 'PIN_FAILED' }])
    expect(asked).toEqual(['http://127.0.0.1:9/v1/ipfs/pin'])
  })

  test('of which the logs show nothing is an error that says so', async () => {
    const plan = await planRegistration(asPlanned(account))
    expect(() => registeredAgentIn([], plan)).toThrow(expect.objectContaining({ code: 'REGISTRATION_AMBIGUOUS' }))
  })
})

const place = () => ({
  registry: { identity: devnet().registry.identity },
  rpcUrls: { 31337: devnet().rpcUrl, 8453: devnet().rpcUrl },
})

const found = ({ address }: Owner) => findAgents({ ...place(), chainId: 31337, owner: address })

const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0, pollingInterval: 50 })

function asPlanned({ address }: Owner): PlanOptions {
  const own = { name: address, role: 'vault_creator', mcpEndpoint: 'https://agent.example/mcp' } as const
  return { ...place(), ...own, chainId: 31337, owner: address, ipfsMode: 'inline', env: {} }
}

type Owner = PrivateKeyAccount & { readonly wallet: ServiceWallet }

async function funded(): Promise<Owner> {
  const privateKey = generatePrivateKey()
  const made = privateKeyToAccount(privateKey)
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.setBalance({ address: made.address, value: parseEther('1') })
  const { rpcUrls } = place()
  return { ...made, wallet: new ServiceWallet({ mode: 'local', privateKey, chainId: 31337, rpcUrls }) }
}

/** The endpoint of the chain, without a method. */
function refusing(refused: string): EIP1193RequestFn {
  const { request } = createPublicClient({ transport: http(devnet().rpcUrl) })
  return (call: { readonly method: string }) =>
    call.method === refused ? Promise.reject(new Error('too many blocks')) : request(call as never)
}

async function register({ wallet }: Owner, change: Partial<AgentRegistrationConfig> = {}) {
  const options: AgentRegistrationConfig = {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: place().registry,
    env: {},
    ...change,
  }
  const result = await registerAgent(wallet, options)
  if (result.status !== 'registered') throw new Error(result.status)
  return result
}

async function mint(owner: Owner, uri: string): Promise<bigint[]> {
  const call = {
    to: place().registry.identity,
    data: encodeFunctionData({ abi, functionName: 'register', args: [uri] }),
  }
  return [BigInt((await logsOf(owner, call))[0]!.topics[3]!)]
}

async function give(tokenId: bigint | undefined, from: Owner, to: Owner): Promise<void> {
  const args = [from.address, to.address, tokenId ?? -1n] as const
  const data = encodeFunctionData({ abi, functionName: 'transferFrom', args })
  await logsOf(from, { to: place().registry.identity, data })
}

async function logsOf(from: Owner, { to, data }: { readonly to: `0x${string}`; readonly data: `0x${string}` }) {
  const sender = createWalletClient({ account: from, transport: http(devnet().rpcUrl) })
  const hash = await sender.sendTransaction({ to, data, chain: null })
  return (await awaitReceipt(client(), hash)).logs
}
