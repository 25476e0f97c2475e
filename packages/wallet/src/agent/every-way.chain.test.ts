import { startFakeBundler, startPaymaster, type FakeBundler, type Paymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletProviderServer, type WalletProviderServer } from '@svc/test-utils'
import { createPublicClient, hexToString, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFaucet, type Faucet } from '../gas/faucet.fixture.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createMemoryRegistrationRecords } from './registration/registration-records.ts'
import { pinningJwt, startPinServices, type PinServices } from './card/pin-services.fixture.ts'
import { registerAgent } from './register-agent.ts'
import type {
  AgentRegistrationConfig,
  GasTier,
  RegistrationAttempt,
  RegistrationMethod,
} from './registration/registration.ts'
import { identityRegistryAbi as abi } from './registry/identity-registry.ts'

const small = [
  expect.stringMatching(
    /^The small file of a direct registration leaves out: domains, trust\. It is written in the place of the whole card since /,
  ),
  expect.stringMatching(/^Nothing was pinned by ipfsMode "proxy"/),
]
const missingSdk = () =>
  Promise.reject(Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' }))

const tiers: readonly Tier[] = [
  ['sdk-ipfs', 'the pin proxy', () => ({ ipfsMode: 'proxy' })],
  ['sdk-ipfs', 'an own pinning account', () => ({ ipfsMode: 'pinata', pinningJwt, pinningUrl: pins.url })],
  ['sdk-inline', 'the URI itself', () => ({ ipfsMode: 'inline' })],
  ['direct-contract', 'the call of the registry', () => ({ loadIdentitySdk: missingSdk })],
]

let pins: PinServices
let provider: WalletProviderServer
beforeAll(async () => {
  pins = await startPinServices()
  provider = await createWalletProviderServer()
})
afterAll(async () => {
  await pins.stop()
  await provider.close()
})

describe('on a chain whose gas a paymaster pays', () => {
  const devnet = useDevnet()
  let bundler: FakeBundler
  let paymaster: Paymaster
  beforeAll(async () => {
    bundler = await startFakeBundler({ devnet: devnet() })
    paymaster = await startPaymaster({ devnet: devnet() })
  })
  afterAll(async () => {
    await bundler.stop()
    await paymaster.stop()
  })

  registersEveryWay(devnet, 'sponsored', async () => ({
    options: { gas: { bundlerUrl: bundler.url, paymasterUrl: paymaster.url } },
    attempts: [{ kind: 'gas', tier: 'sponsored', outcome: 'done' }],
  }))
})

describe('on a chain with a faucet', () => {
  const devnet = useDevnet()
  let faucet: Faucet
  beforeAll(async () => {
    faucet = await startFaucet(devnet())
  })
  afterAll(async () => {
    await faucet.stop()
  })
  const empty = { kind: 'gas', tier: 'wallet', outcome: 'skipped', reason: expect.any(String) }

  registersEveryWay(devnet, 'faucet', async () => ({
    // One address serves pins and faucet, as the support API does.
    options: {
      fetch: (input, init) => {
        const url = input instanceof Request ? input.url : String(input)
        return fetch(url.replace(`${pins.url}/v1/faucet`, `${faucet.url}/v1/faucet`), init)
      },
    },
    attempts: [empty, { kind: 'gas', tier: 'faucet', outcome: 'done' }],
  }))

  registersEveryWay(devnet, 'manual', async ({ address }) => {
    const now = { ms: 0 }
    const sleep = async (ms: number): Promise<void> => {
      now.ms += ms
      await devnet().fund(address, { ETH: '0.005' })
    }
    return {
      options: { gas: { tiers: ['wallet', 'manual'] }, now: () => now.ms, sleep },
      attempts: [empty, { kind: 'gas', tier: 'manual', outcome: 'done' }],
    }
  })

  registersEveryWay(devnet, 'wallet', async ({ address }) => {
    await devnet().fund(address, { ETH: '0.01' })
    return { options: {}, attempts: [{ kind: 'gas', tier: 'wallet', outcome: 'done' }] }
  })
})

/** Every tier of registration with a local and with a managed wallet, its gas paid in one way. */
function registersEveryWay(devnet: ReturnType<typeof useDevnet>, gasTier: GasTier, pay: Pay): void {
  describe.each(['local', 'managed'] as const)(`with gas of the tier ${gasTier}, a %s wallet is registered`, (mode) => {
    test.each(tiers)('as %s, by %s', async (method, _how, choice) => {
      const wallet = mode === 'local' ? localWallet(devnet()) : await managedWallet(devnet())
      const before = provider.signatures()
      const { options, attempts } = await pay(wallet)
      const records = createMemoryRegistrationRecords()
      const journal = createMemoryJournal({ now: Date.now })
      const result = await registerAgent(wallet, {
        name: 'Ada',
        role: 'vault_manager',
        mcpEndpoint: 'https://agent.example/mcp',
        registry: { identity: devnet().registry.identity },
        chains: [{ ...devnet().chain, faucet: gasTier !== 'sponsored' }],
        apiUrl: pins.url,
        env: {},
        records,
        journal,
        ...choice(),
        ...options,
      })
      if (result.status !== 'registered') throw new Error(`It is ${result.status}: ${JSON.stringify(result.attempts)}`)
      const { address, chainId } = { address: wallet.address, chainId: devnet().chainId }
      expect(result).toEqual({
        status: 'registered',
        agentId: `${chainId}:${result.tokenId}`,
        tokenId: expect.stringMatching(/^\d+$/),
        registrationMethod: method,
        agentURI: expect.stringMatching(
          method === 'sdk-ipfs' ? /^ipfs:\/\/bafkrei/ : /^data:application\/json;base64,/,
        ),
        agentRegistry: `eip155:${chainId}:${devnet().registry.identity}`,
        owner: address,
        chainId,
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        gasTier,
        alreadyRegistered: false,
        attempts: [...skipped(method), ...attempts, { kind: 'registration', tier: method, outcome: 'done' }],
        warnings: [...(method === 'direct-contract' ? small : []), ...(gasTier === 'sponsored' ? [delegated] : [])],
      })
      expect(await onChain(devnet(), BigInt(result.tokenId), address)).toEqual({
        owner: address,
        agents: 1n,
        uri: result.agentURI,
        metadata: {
          role: 'vault_manager',
          'protocol:name': 'svc',
          'vault:chain': `${chainId}`,
          ...(method === 'direct-contract'
            ? { handle: 'Ada', interfaceType: 'mcp' }
            : { handle: '', interfaceType: '' }),
        },
      })
      expect(fileBehind(result.agentURI)).toMatchObject({
        name: 'Ada',
        services: expect.arrayContaining([expect.objectContaining({ endpoint: 'https://agent.example/mcp' })]),
      })
      expect(await records.find(chainId, devnet().registry.identity, address)).toMatchObject({
        state: 'registered',
        txHash: result.txHash,
        tokenId: result.tokenId,
      })
      expect(await journal.open(chainId, address)).toEqual([])
      const perRegistration = gasTier === 'sponsored' ? 2 : 1
      expect(provider.signatures() - before).toBe(mode === 'managed' ? perRegistration : 0)
    })
  })
}

const delegated = expect.stringContaining('delegated to 0xe6Cae83BdE06E4c305530e199D7217f42808555B')

type Tier = readonly [RegistrationMethod, string, () => Partial<AgentRegistrationConfig>]

/** Arranges for the gas of a wallet, and says what of the attempts comes of it. */
type Pay = (
  wallet: ServiceWallet,
) => Promise<{ readonly options: Partial<AgentRegistrationConfig>; readonly attempts: readonly unknown[] }>

function skipped(method: RegistrationMethod): readonly RegistrationAttempt[] {
  const reason = 'The identity SDK is not installed.'
  return method === 'direct-contract' ? [{ kind: 'registration', tier: 'sdk-ipfs', outcome: 'skipped', reason }] : []
}

type Place = ReturnType<ReturnType<typeof useDevnet>>

function localWallet({ chainId, rpcUrl }: Place): ServiceWallet {
  const privateKey = generatePrivateKey()
  return new ServiceWallet({ mode: 'local', privateKey, chainId, rpcUrls: { [chainId]: rpcUrl }, appId: 'app-1' })
}

async function managedWallet({ chainId, rpcUrl }: Place): Promise<ServiceWallet> {
  const { walletId, authPrivateKey } = await provider.createWallet()
  const { appId, appSecret, url: apiUrl } = provider
  const rpcUrls = { [chainId]: rpcUrl }
  const wallet = new ServiceWallet({
    mode: 'managed',
    appId,
    appSecret,
    walletId,
    authPrivateKey,
    apiUrl,
    chainId,
    rpcUrls,
  })
  await wallet.getAddress()
  return wallet
}

async function onChain({ rpcUrl, registry }: Place, id: bigint, address: `0x${string}`) {
  const client = createPublicClient({ transport: http(rpcUrl, { batch: true }) })
  const contract = { address: registry.identity, abi } as const
  const text = async (key: string) =>
    hexToString(await client.readContract({ ...contract, functionName: 'getMetadata', args: [id, key] }))
  const keys = ['role', 'protocol:name', 'vault:chain', 'handle', 'interfaceType']
  const [owner, agents, uri, ...texts] = await Promise.all([
    client.readContract({ ...contract, functionName: 'ownerOf', args: [id] }),
    client.readContract({ ...contract, functionName: 'balanceOf', args: [address] }),
    client.readContract({ ...contract, functionName: 'tokenURI', args: [id] }),
    ...keys.map(text),
  ])
  return { owner, agents, uri, metadata: Object.fromEntries(keys.map((key, index) => [key, texts[index]])) }
}

function fileBehind(uri: string): unknown {
  const inline = uri.startsWith('data:') ? Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64') : null
  return JSON.parse(Buffer.from(inline ?? pins.files.get(uri.slice('ipfs://'.length)) ?? []).toString())
}
