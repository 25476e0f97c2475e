import { useDevnet } from '@svc/devnet/testing'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ServiceWallet } from '../service-wallet.ts'
import { startPinServices, type PinServices } from './card/pin-services.fixture.ts'
import { registerAgent } from './register-agent.ts'
import type { AgentRegistrationConfig, RegistrationResult } from './registration/registration.ts'

// Without the option `env`: what a program's own environment says.
const devnet = useDevnet()
const missingSdk = () =>
  Promise.reject(Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' }))

let pins: PinServices
let wallet: ServiceWallet
beforeEach(async () => {
  pins = await startPinServices()
  const rpcUrls = { 31337: devnet().rpcUrl }
  wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
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

test.each([
  ['a mode that is none', { SVC_IPFS_MODE: 'ipfs' }, 'VALIDATION_CONFIG_INVALID', 'SVC_IPFS_MODE'],
  [
    'no token',
    { SVC_IPFS_MODE: 'pinata', SVC_PINNING_JWT: '' },
    'VALIDATION_PINNING_JWT_MISSING',
    'pinningJwt, or set SVC_PINNING_JWT',
  ],
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

function register(change: Partial<AgentRegistrationConfig> = {}): Promise<RegistrationResult> {
  const registry = { identity: devnet().registry.identity }
  return registerAgent(wallet, { role: 'vault_manager', registry, pinningUrl: pins.url, ...change })
}

function pinnedNames(): readonly unknown[] {
  return [...pins.files.values()].map((bytes) => (JSON.parse(Buffer.from(bytes).toString()) as { name: unknown }).name)
}
