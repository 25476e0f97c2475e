import { createServer } from 'node:http'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletProviderServer, type WalletProviderServer } from '@svc/test-utils'
import { createPublicClient, http } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createMemoryRegistrationRecords } from './registration/registration-records.ts'
import { startPinServices, type PinServices } from './card/pin-services.fixture.ts'
import { registerAgent } from './register-agent.ts'
import type { AgentRegistrationConfig } from './registration/registration.ts'

const devnet = useDevnet()

let pins: PinServices
let provider: WalletProviderServer
let wallet: ServiceWallet
beforeEach(async () => {
  pins = await startPinServices()
  provider = await createWalletProviderServer()
  const { walletId, authPrivateKey } = await provider.createWallet()
  const { appId, appSecret, url: apiUrl } = provider
  const place = { chainId: 31337, rpcUrls: { 31337: devnet().rpcUrl } }
  wallet = new ServiceWallet({ mode: 'managed', appId, appSecret, walletId, authPrivateKey, apiUrl, ...place })
  await devnet().fund(await wallet.getAddress(), { ETH: '1' })
})
afterEach(async () => {
  await pins.stop()
  await provider.close()
})

test.each([
  ['is down', { status: 503 }, 'PIN_FAILED', 'proxy'],
  ['asks for fewer requests', { status: 429 }, 'PIN_FAILED', 'proxy'],
  ['does not answer in time', 'silence', 'PIN_FAILED', 'pinata'],
  ['names the CID of something else', 'lie', 'PIN_CID_MISMATCH', 'proxy'],
  ['names the CID of something else', 'lie', 'PIN_CID_MISMATCH', 'pinata'],
] as const)('when the pin service %s (%j), the file goes into the URI, and the result says so', async (...row) => {
  const [, fault, code, ipfsMode] = row
  pins.setFault(fault)
  const result = await register({ ipfsMode, fetch: impatient })
  expect(result).toMatchObject({ status: 'registered', registrationMethod: 'sdk-inline' })
  const failed = { kind: 'registration', tier: 'sdk-ipfs', outcome: 'failed', code, reason: expect.any(String) }
  expect(result.attempts).toContainEqual(failed)
  expect(result.warnings).toEqual([expect.stringMatching(/^Nothing was pinned: .*The file went into the URI itself/)])
  expect(pins.requests()).toHaveLength(1)
  expect(await transactions()).toBe(1)
})

test.each([
  ['breaks', { fault: 'error' }, 'SIGNER_UNAVAILABLE', 2],
  ['breaks after it signed', { fault: 'error', after: true }, 'SIGNER_UNAVAILABLE', 2],
  ['asks for fewer requests', { fault: 'rate-limit', retryAfterSeconds: 7 }, 'SIGNER_RATE_LIMITED', 1],
  ['refuses', { fault: 'error', status: 403 }, 'SIGNER_UNAUTHORIZED', 1],
] as const)('when the wallet provider %s, nothing is out, and the next call registers', async (...row) => {
  const [, fault, code, asked] = row
  const [records, journal] = [createMemoryRegistrationRecords(), createMemoryJournal({ now: Date.now })]
  provider.setFaults([{ ...fault, methods: ['eth_signTransaction'] }])
  const docs = `docs/wallet-errors.md#${code.toLowerCase()}`
  const refusal = { name: 'WalletError', code, docs, suggestion: expect.stringMatching(/./) }
  await expect(register({ records, journal })).rejects.toMatchObject(refusal)
  const keys = signingRequests().map(({ headers }) => headers['privy-idempotency-key'])
  expect([keys.length, new Set(keys).size]).toEqual([asked, 1])
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(await transactions()).toBe(0)
  expect(await journal.open(31337, wallet.address)).toEqual([])
  const record = () => records.find(31337, devnet().registry.identity, wallet.address)
  expect(await record()).toMatchObject({ state: 'failed', txHash: null })
  provider.setFaults([])
  expect(await register({ records, journal })).toMatchObject({ status: 'registered', warnings: [] })
  expect(await record()).toMatchObject({ state: 'registered' })
  expect(await transactions()).toBe(1)
})

test('nobody asks the endpoints that a card names', async () => {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = server.address()
  const endpoint = `http://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`
  try {
    const named = { mcpEndpoint: `${endpoint}/mcp`, a2aEndpoint: endpoint, image: `${endpoint}/a.png` }
    for (const ipfsMode of ['inline', 'proxy'] as const) {
      expect(await register({ ...named, ipfsMode, force: true })).toMatchObject({ status: 'registered' })
    }
    expect(asked).toEqual([])
    // The server would have noticed.
    await fetch(endpoint)
    expect(asked).toEqual(['/'])
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'https://user:word@agent.example/mcp'])(
  'the endpoint %s is refused before anything is pinned, signed or sent',
  async (mcpEndpoint) => {
    await expect(register({ mcpEndpoint, ipfsMode: 'proxy' })).rejects.toMatchObject({
      name: 'WalletError',
      code: 'VALIDATION_CARD_INVALID',
      message: expect.stringMatching(/^The agent card is not valid: mcpEndpoint \(accepted: /),
      details: { fields: [{ field: 'mcpEndpoint' }] },
    })
    expect([pins.requests(), signingRequests(), await transactions()]).toEqual([[], [], 0])
  },
)

function register(change: Partial<AgentRegistrationConfig>) {
  return registerAgent(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: { identity: devnet().registry.identity },
    chains: [devnet().chain],
    apiUrl: pins.url,
    pinningUrl: pins.url,
    pinningJwt: 'jwt-1',
    env: {},
    ...change,
  })
}

const signingRequests = () => provider.requests().filter(({ url }) => url.endsWith('/rpc'))

/** Waits less long than the package does by itself. */
const impatient: typeof fetch = (input, init) => {
  const limit = AbortSignal.timeout(500)
  return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
}

const transactions = () =>
  createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount({ address: wallet.address })
