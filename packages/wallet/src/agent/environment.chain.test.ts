import { startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Secret } from '../secret.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { startPinServices, type PinServices } from './card/pin-services.fixture.ts'
import { getAgent } from './lookup/read-agents.ts'
import { registerAgent, updateAgent } from './register-agent.ts'
import type { AgentRegistrationConfig, RegistrationResult } from './registration/registration.ts'

// Without the option `env`: what a program's own environment says.
const devnet = useDevnet()
const missingSdk = () =>
  Promise.reject(Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' }))

let pins: PinServices
let wallet: ServiceWallet
beforeEach(async () => {
  pins = await startPinServices()
  wallet = walletOf('app-1')
  await devnet().fund(wallet.address, { ETH: '1' })
  vi.stubEnv('SVC_AGENT_NAME', 'Ada of the environment')
  vi.stubEnv('SVC_PINNING_JWT', 'jwt-of-the-environment')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await pins.stop()
})

test('name, mode and token of the pinning account come from the environment', async () => {
  vi.stubEnv('SVC_IPFS_MODE', 'pinata')
  const result = await register()
  expect(result).toMatchObject({ status: 'registered', registrationMethod: 'sdk-ipfs' })
  expect(pins.requests()).toEqual(['/v3/files Bearer jwt-of-the-environment'])
  expect(pinnedNames()).toEqual(['Ada of the environment'])
})

test('what the options say goes before the environment', async () => {
  vi.stubEnv('SVC_IPFS_MODE', 'inline')
  const result = await register({ name: 'Ada', ipfsMode: 'pinata', pinningJwt: 'jwt-of-the-options' })
  expect(result).toMatchObject({ status: 'registered', registrationMethod: 'sdk-ipfs' })
  expect(pins.requests()).toEqual(['/v3/files Bearer jwt-of-the-options'])
  expect(pinnedNames()).toEqual(['Ada'])
})

test('the mode inline of the environment leaves the file in the URI', async () => {
  vi.stubEnv('SVC_IPFS_MODE', 'inline')
  const result = await register()
  expect(result).toMatchObject({ status: 'registered', registrationMethod: 'sdk-inline' })
  expect(pins.requests()).toEqual([])
})

test('the support API of the environment pins where nobody names a mode', async () => {
  vi.stubEnv('SVC_API_URL', pins.url)
  expect(await register()).toMatchObject({ status: 'registered', registrationMethod: 'sdk-ipfs' })
  expect(pins.requests()).toEqual(['/v1/ipfs/pin Bearer app-1'])
})

test('the gateway of the environment is asked for what is pinned', async () => {
  const result = await register({ ipfsMode: 'pinata' })
  vi.stubEnv('SVC_GATEWAY_URL', pins.url)
  const [agentId, registry] = [idOf(result), { identity: devnet().registry.identity }]
  expect(await getAgent({ agentId, registry, rpcUrls: wallet.rpcUrls })).toMatchObject({ fileStatus: 'verified' })
  const updated = updateAgent(wallet, { agentId, registry, description: 'More.', ipfsMode: 'inline' })
  expect(await updated).toMatchObject({ status: 'updated', unchanged: false })
})

test('bundler and paymaster of the environment pay, on a chain that is not sponsored by itself', async () => {
  const bundler = await startFakeBundler({ devnet: devnet() })
  const paymaster = await startPaymaster({ devnet: devnet() })
  try {
    vi.stubEnv('SVC_BUNDLER_URL_31337', bundler.url)
    vi.stubEnv('SVC_PAYMASTER_URL_31337', paymaster.url)
    wallet = walletOf()
    expect(await register({ ipfsMode: 'inline' })).toMatchObject({ status: 'registered', gasTier: 'sponsored' })
  } finally {
    await bundler.stop()
    await paymaster.stop()
  }
})

test.each(['SVC_API_URL', 'SVC_BUNDLER_URL_31337', 'SVC_PAYMASTER_URL_31337'])(
  '%s that is no URL is refused by its name before anybody is asked',
  async (name) => {
    vi.stubEnv(name, 'notaurl')
    const steps: string[] = []
    const refused = { code: 'VALIDATION_CONFIG_INVALID', message: expect.stringContaining(`${name} is not valid`) }
    for (const ipfsMode of [undefined, 'inline'] as const) {
      const given = register({ ipfsMode, onProgress: ({ step }) => steps.push(step), loadIdentitySdk: missingSdk })
      await expect(given).rejects.toMatchObject(refused)
    }
    expect(steps).toEqual([])
  },
)

test('SVC_GATEWAY_URL that is no URL is refused by its name', async () => {
  const [agentId, registry] = [idOf(await register({ ipfsMode: 'inline' })), { identity: devnet().registry.identity }]
  vi.stubEnv('SVC_GATEWAY_URL', 'notaurl')
  const refused = { code: 'VALIDATION_CONFIG_INVALID', message: expect.stringMatching(/^SVC_GATEWAY_URL is not valid/) }
  await expect(getAgent({ agentId, registry, rpcUrls: wallet.rpcUrls })).rejects.toMatchObject(refused)
  await expect(updateAgent(wallet, { agentId, registry })).rejects.toMatchObject(refused)
})

test.each([
  ['the option', { ipfsMode: 'proxy' }, {}],
  ['the environment', {}, { SVC_IPFS_MODE: 'proxy' }],
] as const)('a pin proxy that %s asks for needs its address, with SDK and without', async (_who, change, env) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  for (const way of [{}, { loadIdentitySdk: missingSdk }]) {
    const message = expect.stringMatching(/^apiUrl is missing.*SVC_API_URL/)
    await expect(register({ ...change, ...way })).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID', message })
  }
})

test.each([
  ['a mode that is none', { SVC_IPFS_MODE: 'ipfs' }, 'VALIDATION_CONFIG_INVALID', 'SVC_IPFS_MODE'],
  [
    'no token',
    { SVC_IPFS_MODE: 'pinata', SVC_PINNING_JWT: '' },
    'VALIDATION_PINNING_JWT_MISSING',
    'pinningJwt, or set SVC_PINNING_JWT',
  ],
  [
    'a token with a line break',
    { SVC_IPFS_MODE: 'pinata', SVC_PINNING_JWT: 'ey.ey.sig\n' },
    'VALIDATION_CONFIG_INVALID',
    'SVC_PINNING_JWT has a line break in it',
  ],
  ['a blank name', { SVC_IPFS_MODE: 'inline', SVC_AGENT_NAME: '   ' }, 'VALIDATION_CARD_INVALID', 'SVC_AGENT_NAME ('],
  ['no name', { SVC_IPFS_MODE: 'inline', SVC_AGENT_NAME: undefined }, 'VALIDATION_CARD_INVALID', 'SVC_AGENT_NAME'],
] as const)(
  '%s is refused by the name of the setting, be the SDK installed or not, and nothing is sent',
  async (_what, env, code, named) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    for (const way of [{}, { loadIdentitySdk: missingSdk }]) {
      const error: unknown = await register(way).catch((refusal: unknown) => refusal)
      expect(error).toMatchObject({ code })
      const { message, suggestion } = error as { readonly message: string; readonly suggestion: string }
      expect(`${message} ${suggestion}`).toContain(named)
    }
    expect(pins.requests()).toEqual([])
  },
)

test.each([
  ['a\nb', 'has a line break in it'],
  [new Secret('a b'), 'has white space in it'],
  ["'a'", 'is in quotes'],
  ['a\u2019b', 'has other characters than those of ASCII'],
])('a token that no header can carry is refused by what is wrong with it: %j', async (pinningJwt, fault) => {
  const message = expect.stringMatching(new RegExp(`^pinningJwt ${fault}; accepted: `))
  const refused = { code: 'VALIDATION_CONFIG_INVALID', message }
  await expect(register({ ipfsMode: 'pinata', pinningJwt })).rejects.toMatchObject(refused)
})

test('a wallet that is registered is refused a mode without its token, as one that is not', async () => {
  await register({ ipfsMode: 'inline' })
  vi.stubEnv('SVC_PINNING_JWT', undefined)
  const refused = { code: 'VALIDATION_PINNING_JWT_MISSING' }
  for (const pinningJwt of [undefined, '', new Secret('')]) {
    await expect(register({ ipfsMode: 'pinata', pinningJwt })).rejects.toMatchObject(refused)
  }
})

function register(change: Partial<AgentRegistrationConfig> = {}): Promise<RegistrationResult> {
  const registry = { identity: devnet().registry.identity }
  return registerAgent(wallet, { role: 'vault_manager', registry, pinningUrl: pins.url, ...change })
}

function walletOf(appId?: string): ServiceWallet {
  const rpcUrls = { 31337: devnet().rpcUrl }
  return new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls, appId })
}

function idOf(result: RegistrationResult): string {
  if (result.status !== 'registered') throw new Error(result.status)
  return result.agentId
}

function pinnedNames(): readonly unknown[] {
  return [...pins.files.values()].map((bytes) => (JSON.parse(Buffer.from(bytes).toString()) as { name: unknown }).name)
}
