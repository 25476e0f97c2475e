import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import {
  createPublicClient,
  createTestClient,
  http,
  encodeFunctionData,
  parseEther,
  walletActions,
  type PublicClient,
} from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { dyingRecords } from './dying-records.fixture.ts'
import { getAgent } from './lookup/read-agents.ts'
import {
  linkRegistration,
  type LinkRegistrationConfig,
  registerAgent,
  updateAgent,
  type AgentUpdateConfig,
  type UpdatedAgent,
} from './register-agent.ts'
import { createMemoryRegistrationRecords, type RegistrationRecords } from './registration/registration-records.ts'
import { createPinning } from './card/pinning.fixture.ts'
import type { AgentRegistrationConfig, RegistrationProgress } from './registration/registration.ts'
import { identityRegistryAbi } from './registry/identity-registry.ts'

const devnet = useDevnet()
const missingSdk = () =>
  Promise.reject(Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' }))

let wallet: ServiceWallet
let agentId: string
let kept: { readonly records: RegistrationRecords; readonly journal: Journal }
beforeEach(async () => {
  kept = { records: createMemoryRegistrationRecords(), journal: createMemoryJournal({ now: Date.now }) }
  wallet = await funded()
  agentId = await register({})
})

describe('an agent', () => {
  test('that stands as it is wanted costs nothing', async () => {
    const before = await nonce()
    expect(await update({})).toMatchObject({ unchanged: true, txHashes: [], gasTier: null })
    expect(
      await update({ name: 'Ada', mcpEndpoint: 'https://agent.example/mcp', role: 'vault_manager' }),
    ).toMatchObject({
      unchanged: true,
    })
    expect(await nonce()).toBe(before)
  })

  test('takes what is named and keeps the rest, in one transaction for the file', async () => {
    const steps: RegistrationProgress['step'][] = []
    const before = await read()
    const result = await update({ description: 'Says more.', onProgress: ({ step }) => steps.push(step) })
    expect(result).toMatchObject({
      status: 'updated',
      unchanged: false,
      agentId,
      chainId: 31337,
      agentRegistry: `eip155:31337:${devnet().registry.identity}`,
      gasTier: 'wallet',
      attempts: [
        { kind: 'gas', tier: 'wallet', outcome: 'done' },
        { kind: 'update', tier: 'direct-contract', outcome: 'done' },
      ],
      warnings: [],
    })
    expect(result.txHashes).toHaveLength(1)
    expect(steps).toEqual(['check-chain', 'build-card', 'resolve-gas', 'sign', 'send', 'confirm', 'done'])
    const after = await read()
    expect(after).toEqual({
      ...before,
      agentURI: result.agentURI,
      registrationFile: { ...before.registrationFile, description: 'Says more.' },
    })
    expect(await update({ description: 'Says more.' })).toMatchObject({ unchanged: true })
  })

  test('has each entry on chain that differs set, and no other', async () => {
    const result = await update({ role: 'vault_creator', metadata: { team: 'blue' } })
    expect(result.txHashes).toHaveLength(3)
    expect(await read()).toMatchObject({
      metadata: { role: 'vault_creator' },
      registrationFile: { metadata: { role: 'vault_creator', team: 'blue', 'vault:chain': '31337' } },
    })
    expect(await update({ metadata: { team: 'blue' } })).toMatchObject({ unchanged: true })
  })

  test('of the small file of the third tier grows by what is named alone', async () => {
    agentId = await register({ force: true, loadIdentitySdk: missingSdk })
    expect(await update({})).toMatchObject({ unchanged: true })
    const result = await update({ name: 'Bea' })
    expect(result.txHashes).toHaveLength(2)
    expect(await read()).toMatchObject({
      metadata: { handle: 'Bea', role: 'vault_manager', interfaceType: 'mcp' },
      registrationFile: {
        name: 'Bea',
        services: [{ name: 'MCP' }],
        domains: [],
        supportedTrust: [],
        metadata: { role: 'vault_manager' },
      },
    })
    await update({ trust: { reputation: true, cryptoEconomic: false, zkml: false } })
    expect(await read()).toMatchObject({ registrationFile: { domains: [], supportedTrust: ['reputation'] } })
  })

  test('says in its file where it is registered, once it is linked', async () => {
    const link = () => linkRegistration(wallet, options({}) as LinkRegistrationConfig)
    expect(await link()).toMatchObject({ status: 'updated', unchanged: false, txHashes: [expect.any(String)] })
    const agentRegistry = `eip155:31337:${devnet().registry.identity}`
    expect(await read()).toMatchObject({
      registrationFile: { registrations: [{ agentId: agentId.split(':')[1], agentRegistry }] },
    })
    expect(await link()).toMatchObject({ unchanged: true })
    expect((await update({ description: 'Other.' })).txHashes).toHaveLength(1)
    expect((await read()).registrationFile?.registrations).toHaveLength(1)
  })

  test('keeps what an update made of it when it is linked, and no word of its card is taken', async () => {
    await update({ mcpEndpoint: 'https://new.example/mcp', description: 'Other.' })
    const { role, ...place } = registration()
    // @ts-expect-error A role belongs to the card.
    const refused = linkRegistration(wallet, { ...place, ...kept, role, agentId })
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID', message: /^name is not accepted/ })
    await linkRegistration(wallet, options({}) as LinkRegistrationConfig)
    expect(await read()).toMatchObject({
      registrationFile: {
        description: 'Other.',
        services: [{ endpoint: 'https://new.example/mcp' }, { name: 'OASF' }],
        registrations: [{ agentId: agentId.split(':')[1] }],
      },
    })
  })

  test('moves to another place when the mode is named, and not otherwise', async () => {
    const pinning = createPinning()
    const pinned = { ipfsMode: 'pinata', pinningJwt: 'jwt', fetch: pinning } as const
    const moved = await update(pinned)
    expect(moved.agentURI).toMatch(/^ipfs:\/\/bafkrei/)
    expect(await update({ ...pinned, gatewayUrl: 'http://gateway.test' })).toMatchObject({ unchanged: true })
    expect(await read({ gatewayUrl: 'http://gateway.test', fetch: pinning })).toMatchObject({
      fileStatus: 'verified',
      registrationFile: { name: 'Ada' },
    })
  })
})

describe('an update', () => {
  test('without gas is deferred, and its token alone brings all of it to its end', async () => {
    await fund(wallet, '0')
    const change = { role: 'vault_creator', description: 'More.' } as const
    const waiting = await updateAgent(wallet, options({ ...change, gas: { manualWaitMs: 0 } }))
    if (waiting.status !== 'deferred') throw new Error(waiting.status)
    expect(waiting).toMatchObject({ code: 'UPDATE_DEFERRED', fund: { address: wallet.address, currency: 'ETH' } })
    await fund(wallet, '1')
    expect((await update({ resume: waiting.resumeToken })).txHashes).toHaveLength(2)
    expect(await read()).toMatchObject({
      metadata: { role: 'vault_creator' },
      registrationFile: { description: 'More.', metadata: { role: 'vault_creator' } },
    })
    expect(await update({ resume: waiting.resumeToken })).toMatchObject({ unchanged: true })
  })

  test('that another took the place of is not brought back by its token', async () => {
    await fund(wallet, '0')
    const old = await updateAgent(wallet, options({ description: 'Old.', gas: { manualWaitMs: 0 } }))
    if (old.status !== 'deferred') throw new Error(old.status)
    await fund(wallet, '1')
    await update({ description: 'New.' })
    await expect(update({ resume: old.resumeToken })).rejects.toMatchObject({ code: 'RESUME_TOKEN_INVALID' })
    expect(await read()).toMatchObject({ registrationFile: { description: 'New.' } })
  })

  const writes = [0, 1, 2, 3].flatMap((at) => [['before', at] as const, ['after', at] as const])
  test.each(writes)(
    'that dies %s write %i of its records is ended by the next, without a call twice',
    async (...death) => {
      const change = { metadata: { team: 'blue' }, description: 'More.' }
      const before = await nonce()
      await expect(
        updateAgent(wallet, { ...options(change), records: dyingRecords(kept.records, ...death) }),
      ).rejects.toThrow('killed')
      await update(change)
      expect(await read()).toMatchObject({ registrationFile: { description: 'More.', metadata: { team: 'blue' } } })
      expect((await nonce()) - before).toBe(2)
    },
  )

  test('that is pending is gone on with, and nothing else is signed meanwhile', async () => {
    const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    const before = await nonce()
    const stop = new AbortController()
    await node.setAutomine(false)
    try {
      const onProgress = ({ step }: RegistrationProgress) => step === 'confirm' && stop.abort()
      const out = updateAgent(wallet, { ...options({ description: 'More.' }), onProgress, signal: stop.signal })
      await out.catch(() => undefined)
    } finally {
      await node.setAutomine(true)
      await node.mine({ blocks: 1 })
    }
    expect(await update({ description: 'More.' })).toMatchObject({ status: 'updated', unchanged: false })
    expect((await nonce()) - before).toBe(1)
  })

  test('leaves registrations alone: neither is taken for the other', async () => {
    await fund(wallet, '0')
    const waiting = await updateAgent(wallet, options({ description: 'More.', gas: { manualWaitMs: 0 } }))
    if (waiting.status !== 'deferred') throw new Error(waiting.status)
    const again = registerAgent(wallet, { ...registration(), ...kept, resume: waiting.resumeToken })
    await expect(again).rejects.toMatchObject({ code: 'RESUME_TOKEN_INVALID' })
    expect(await registerAgent(wallet, { ...registration(), ...kept })).toMatchObject({
      agentId,
      alreadyRegistered: true,
    })
  })

  test.each([
    ['by a stranger', () => ({}), 'AGENT_NOT_OWNED'],
    ['of an agent that is not there', () => ({ agentId: '31337:999999' }), 'AGENT_NOT_FOUND'],
    ['of a malformed id', () => ({ agentId: '17' }), 'VALIDATION_CONFIG_INVALID'],
    ['of another chain than its id names', () => ({ chainId: 1 }), 'VALIDATION_CONFIG_INVALID'],
    ['to a name that is none', () => ({ name: '' }), 'VALIDATION_CARD_INVALID'],
    ['to a role that is none', () => ({ role: 'king' as never }), 'VALIDATION_CONFIG_INVALID'],
    ['by a token that is none', () => ({ resume: 'nothing' }), 'RESUME_TOKEN_INVALID'],
    [
      'at a registry that keeps what it has',
      () => ({ registry: { identity: devnet().registry.handle } }),
      'REGISTRY_CANNOT_UPDATE',
    ],
  ] as const)('%s is refused with its code, and nothing is sent', async (who, change, code) => {
    if (who === 'by a stranger') wallet = await funded()
    const before = await nonce()
    await expect(update({ name: 'Eve', ...change() })).rejects.toMatchObject({ code })
    expect(await nonce()).toBe(before)
  })

  test('of a small file keeps every entry of its registration, and a replaced one none of the former', async () => {
    const image = 'https://agent.example/old.png'
    agentId = await register({ force: true, loadIdentitySdk: missingSdk, image, metadata: { team: 'blue' } })
    await update({ description: 'Says more.' })
    expect(await read()).toMatchObject({ registrationFile: { image, metadata: { image, team: 'blue' } } })
    const replaced = {
      replace: true,
      name: 'Ada',
      role: 'vault_manager',
      mcpEndpoint: 'https://a.example/mcp',
    } as const
    expect((await update(replaced)).txHashes).toHaveLength(3)
    const after = await read()
    expect(after.metadata).toEqual({
      handle: 'Ada',
      interfaceType: 'mcp',
      role: 'vault_manager',
      'protocol:name': 'svc',
      'vault:chain': '31337',
    })
    expect(after.registrationFile).toMatchObject({ image: '', metadata: { role: 'vault_manager' } })
    expect(await update(replaced)).toMatchObject({ unchanged: true })
  })

  test('that writes the file anew says what goes and what comes, and keeps where the agent is registered', async () => {
    const trust = { reputation: false, cryptoEconomic: false, zkml: true }
    await update({ trust, domains: [], a2aEndpoint: 'https://agent.example' })
    await linkRegistration(wallet, options({}) as LinkRegistrationConfig)
    const { registrations } = (await read()).registrationFile ?? {}
    const result = await update({ replace: true, name: 'Ada', role: 'vault_manager' })
    expect(result.warnings).toEqual([
      'The new file leaves out: the service A2A, the service MCP, the trust zkml. Name in the options what is to stay.',
      'The template of the role adds to the file: the service OASF, the trust reputation, the trust crypto-economic.',
    ])
    expect(registrations).toHaveLength(1)
    expect(await read()).toMatchObject({ registrationFile: { registrations } })
    expect(await update({ replace: true, name: 'Ada', role: 'vault_manager' })).toMatchObject({
      unchanged: true,
      warnings: [],
    })
    const named = { metadata: { registration: '' }, domains: [], trust }
    expect((await update({ replace: true, name: 'Ada', ...named })).warnings).toEqual([
      'The new file leaves out: the service OASF, registrations, the trust reputation, the trust crypto-economic. Name in the options what is to stay.',
    ])
  })

  test('leaves a file that is in the URI there, where nobody names a mode', async () => {
    const apiUrl = 'http://127.0.0.1:9'
    const result = await update({ env: {}, apiUrl, description: 'More.' })
    expect(result).toMatchObject({ agentURI: expect.stringMatching(/^data:/), warnings: [] })
  })

  test('of a file that holds more than a card is refused, unless it is replaced', async () => {
    const foreign = {
      type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
      name: 'Ada',
      services: [{ name: 'ENS', endpoint: 'ada.eth' }],
    }
    await write(`data:application/json,${encodeURIComponent(JSON.stringify({ ...foreign, theme: 'dark' }))}`)
    await expect(update({ description: 'More.' })).rejects.toMatchObject({
      code: 'AGENT_FILE_NOT_KEPT',
      details: { members: ['theme', 'services'] },
    })
    await write('https://agent.example/file.json')
    await expect(update({ description: 'More.' })).rejects.toMatchObject({
      code: 'AGENT_FILE_NOT_KEPT',
      suggestion: expect.stringMatching(/gatewayUrl.*SVC_GATEWAY_URL/),
    })
    const replaced = { replace: true, name: 'Ada', role: 'vault_manager' } as const
    expect(await update(replaced)).toMatchObject({
      unchanged: false,
      warnings: [expect.stringContaining('The current file cannot be read')],
    })
    expect(await read()).toMatchObject({
      fileStatus: 'inline',
      registrationFile: { name: 'Ada', services: [{ name: 'OASF' }] },
    })
    expect(await update(replaced)).toMatchObject({ unchanged: true })
  })
})

const client = (): PublicClient => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const nonce = () => client().getTransactionCount({ address: wallet.address })

function registration(): AgentRegistrationConfig {
  return {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: { identity: devnet().registry.identity },
    env: {},
  }
}

async function register(change: Partial<AgentRegistrationConfig>): Promise<string> {
  const result = await registerAgent(wallet, { ...registration(), ...kept, ...change })
  if (result.status !== 'registered') throw new Error(`It is ${result.status}.`)
  return result.agentId
}

function options(change: Partial<AgentUpdateConfig>): AgentUpdateConfig {
  const registry = { identity: devnet().registry.identity }
  return { agentId, registry, env: { SVC_IPFS_MODE: 'inline' }, ...kept, ...change }
}

async function update(change: Partial<AgentUpdateConfig>): Promise<UpdatedAgent> {
  const result = await updateAgent(wallet, options(change))
  if (result.status !== 'updated') throw new Error(`It is ${result.status}.`)
  return result
}

function read(surroundings: { readonly gatewayUrl?: string; readonly fetch?: typeof fetch } = {}) {
  const { registry } = registration()
  return getAgent({ agentId, registry: registry ?? {}, rpcUrls: { 31337: devnet().rpcUrl }, env: {}, ...surroundings })
}

async function funded(): Promise<ServiceWallet> {
  const rpcUrls = { 31337: devnet().rpcUrl }
  const made = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  await fund(made, '1')
  return made
}

function fund({ address }: ServiceWallet, ether: string) {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  return node.setBalance({ address, value: parseEther(ether) })
}

/** Has the owner write any URI, as other software may. */
async function write(agentURI: string): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }).extend(walletActions)
  await node.impersonateAccount({ address: wallet.address })
  const args = [BigInt(agentId.split(':')[1] ?? -1), agentURI] as const
  const data = encodeFunctionData({ abi: identityRegistryAbi, functionName: 'setAgentURI', args })
  const to = devnet().registry.identity
  const hash = await node.sendTransaction({ account: wallet.address, to, data, chain: null })
  await awaitReceipt(client(), hash)
}
