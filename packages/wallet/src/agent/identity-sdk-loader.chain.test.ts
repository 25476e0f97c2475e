import { useDevnet } from '@svc/devnet/testing'
import { SDK } from 'agent0-sdk'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ServiceWallet } from '../service-wallet.ts'
import { buildAgentCard } from './card/build-agent-card.ts'
import { pinningJwt, startPinServices, type PinServices } from './card/pin-services.fixture.ts'
import { registerAgent } from './register-agent.ts'
import type { AgentRegistrationConfig, RegisteredAgent } from './registration/registration.ts'

const devnet = useDevnet()

let pins: PinServices
beforeAll(async () => {
  pins = await startPinServices()
})
afterEach(() => void vi.restoreAllMocks())
afterAll(async () => {
  await pins.stop()
})

const described = {
  name: 'Tidewater',
  description: 'Keeps ranges where the price is.',
  role: 'vault_creator',
  mcpEndpoint: 'https://agent.example/mcp',
  a2aEndpoint: 'https://agent.example',
  image: 'https://agent.example/tidewater.png',
  metadata: { 'fee:bps': '20' },
} as const

test('an agent registers on the local chain with a local wallet and the file inline', async () => {
  const wallet = await fundedWallet()
  const { agentId, registrationMethod, agentURI } = await registered(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
  })
  expect({ agentId, registrationMethod }).toEqual({ agentId: '31337:0', registrationMethod: 'sdk-inline' })
  expect(agentURI).toMatch(/^data:application\/json;base64,/)
})

test.each<[string, Partial<AgentRegistrationConfig>, RegExp]>([
  ['inline', { ipfsMode: 'inline' }, /^data:application\/json;base64,/],
  ['pinned by the proxy', { ipfsMode: 'proxy' }, /^ipfs:\/\/bafkrei/],
  ['pinned by an own account', { ipfsMode: 'pinata', pinningJwt }, /^ipfs:\/\/bafkrei/],
])('what is registered %s is what the identity SDK loads', async (_how, choice, uri) => {
  const result = await registered(await fundedWallet(), { ...described, ...choice })
  expect(result.agentURI).toMatch(uri)
  gatewaysAreLocal()
  const agent = await openSdk().loadAgent(result.agentId)
  const card = buildAgentCard(described, 31337)
  expect(agent).toMatchObject({
    agentId: result.agentId,
    agentURI: result.agentURI,
    name: card.name,
    description: card.description,
    image: described.image,
    mcpEndpoint: card.services[0]?.url,
    a2aEndpoint: card.services[1]?.url,
  })
  const { trustModels, metadata, active, x402support, endpoints } = agent.getRegistrationFile()
  expect({ trustModels, metadata, active, x402support }).toEqual({
    trustModels: ['reputation', 'crypto-economic'],
    metadata: card.metadata,
    active: true,
    x402support: false,
  })
  expect(endpoints.map(({ type }) => type)).toEqual(['MCP', 'A2A', 'OASF'])
  expect(await agent.getWallet()).toBe(result.owner)
})

async function fundedWallet(): Promise<ServiceWallet> {
  const privateKey = generatePrivateKey()
  const rpcUrls = { 31337: devnet().rpcUrl }
  const wallet = new ServiceWallet({ mode: 'local', privateKey, chainId: 31337, rpcUrls, appId: 'app-1' })
  await devnet().fund(wallet.address, { ETH: '1' })
  return wallet
}

async function registered(wallet: ServiceWallet, options: AgentRegistrationConfig): Promise<RegisteredAgent> {
  const { registry, chain } = devnet()
  const surroundings = { registry: { identity: registry.identity }, chains: [chain], env: {} }
  const result = await registerAgent(wallet, { apiUrl: pins.url, pinningUrl: pins.url, ...surroundings, ...options })
  if (result.status !== 'registered') throw new Error(`It is ${result.status}.`)
  return result
}

function openSdk(): SDK {
  const { rpcUrl, chainId, registry } = devnet()
  return new SDK({ chainId, rpcUrl, registryOverrides: { [chainId]: { IDENTITY: registry.identity } } })
}

/** The SDK knows public gateways alone: what it asks of them is asked of the local one. */
function gatewaysAreLocal(): void {
  const send = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return send(url.replace(/^https:\/\/[^/]+\/ipfs\//, `${pins.url}/ipfs/`), init)
  })
}
