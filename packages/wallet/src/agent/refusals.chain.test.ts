import { useDevnet } from '@svc/devnet/testing'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServiceWallet } from '../service-wallet.ts'
import { walletErrorTable, type WalletErrorCode } from '../wallet-error-table.ts'
import { findAgents, getAgent, type GetAgentOptions } from './lookup/read-agents.ts'
import { registerAgent, updateAgent } from './register-agent.ts'
import type { AgentRegistrationConfig } from './registration/registration.ts'

const devnet = useDevnet()
const token = () => devnet().tokens.find(({ symbol }) => symbol === 'USDC')!.address
const registry = () => devnet().registry.identity
const key = generatePrivateKey()
const owner = privateKeyToAddress(key)
const nowhere = '0x000000000000000000000000000000000000dEaD'
const dead = { bundlerUrl: 'http://127.0.0.1:9', paymasterUrl: 'http://127.0.0.1:9' }
const noAnswer = expect.stringMatching(/does not answer/)
const mainnets = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'

let nonsense: Nonsense
beforeAll(async () => {
  nonsense = await startNonsense()
})
afterAll(() => nonsense.stop())

/** What a person does wrong, what a program then finds in details, and the words that lead on. */
test.each<[string, WalletErrorCode, () => Promise<unknown>, () => object, RegExp]>([
  [
    'an id that is not there',
    'AGENT_NOT_FOUND',
    () => look({ agentId: '31337:999' }),
    () => ({ agentId: '31337:999', chainId: 31337, registry: registry() }),
    /registry\.identity/,
  ],
  [
    'a contract that is no registry',
    'VALIDATION_REGISTRY_ABI_UNKNOWN',
    () => register({ registry: { identity: token() } }),
    () => ({ chainId: 31337, registry: token(), knownRegistry: null }),
    /Check registry\.identity.*no identity registry/,
  ],
  [
    'an agent of a contract that is no registry',
    'VALIDATION_REGISTRY_ABI_UNKNOWN',
    () => look({ registry: { identity: token() } }),
    () => ({ chainId: 31337, registry: token(), knownRegistry: null }),
    /Check registry\.identity.*no identity registry/,
  ],
  [
    'what somebody owns at a contract that is no registry',
    'VALIDATION_REGISTRY_ABI_UNKNOWN',
    () => findAgents({ chainId: 31337, owner, registry: { identity: token() }, rpcUrls: { 31337: devnet().rpcUrl } }),
    () => ({ chainId: 31337, registry: token(), knownRegistry: null }),
    /Check registry\.identity.*no identity registry/,
  ],
  [
    'a registry where nothing stands',
    'REGISTRY_NOT_DEPLOYED',
    () => register({ registry: { identity: nowhere } }),
    () => ({ chainId: 31337, registry: nowhere, knownRegistry: null }),
    /Correct registry\.identity/,
  ],
  [
    'an endpoint of another chain',
    'RPC_CHAIN_MISMATCH',
    () => look({ agentId: '8453:0', rpcUrls: { 8453: devnet().rpcUrl } }),
    () => ({ expected: 8453, actual: 31337, host: new URL(devnet().rpcUrl).host }),
    /rpcUrls\[8453\].*chainId 31337/,
  ],
  [
    'an endpoint that is a web page',
    'RPC_UNAVAILABLE',
    () => look({ rpcUrls: { 31337: `${nonsense.url}/page` } }),
    () => ({ host: new URL(nonsense.url).host, reason: 'an answer that is no JSON-RPC' }),
    /./,
  ],
  [
    'an endpoint that answers JSON of another kind',
    'RPC_UNAVAILABLE',
    () => look({ rpcUrls: { 31337: `${nonsense.url}/json` } }),
    () => ({ host: new URL(nonsense.url).host, reason: 'an answer that is no JSON-RPC' }),
    /./,
  ],
  [
    'an endpoint that answers words for numbers',
    'RPC_UNAVAILABLE',
    () => register({}, `${nonsense.url}/words`),
    () => ({ host: new URL(nonsense.url).host, reason: 'an answer that is no JSON-RPC' }),
    /./,
  ],
  [
    'a chain without a registry',
    'VALIDATION_CHAIN_NOT_SUPPORTED',
    () => register({ chainId: 10, registry: {} }),
    () => ({ chainId: 10, knownRegistry: mainnets, supported: expect.arrayContaining([8453]) }),
    /registry\.identity/,
  ],
  [
    'a chain without an endpoint',
    'VALIDATION_CONFIG_INVALID',
    () => register({ chainId: 424242 }),
    () => ({ fields: [{ field: 'rpcUrls.424242', accepted: expect.any(String) }], chainId: 424242 }),
    /rpcUrls: \{ 424242:/,
  ],
  [
    'an agent of somebody else',
    'AGENT_NOT_OWNED',
    async () =>
      updateAgent(wallet(), { agentId: await agentOfAnother(), registry: { identity: registry() }, name: 'B' }),
    () => ({ agentId: expect.stringMatching(/^31337:/), chainId: 31337, registry: registry(), address: owner }),
    /owner/,
  ],
  [
    'an agent of a registry that keeps what it has',
    'REGISTRY_CANNOT_UPDATE',
    () => updateAgent(wallet(), { agentId: '31337:0', registry: { identity: devnet().registry.handle }, name: 'B' }),
    () => ({ agentId: '31337:0', chainId: 31337, registry: devnet().registry.handle, form: 'handle-v0' }),
    /another handle/,
  ],
  [
    'gas that nobody may pay',
    'GAS_NOT_PAID',
    () => register({ gas: { tiers: ['sponsored'], ...dead } }),
    () => ({
      chainId: 31337,
      address: owner,
      tiers: ['sponsored'],
      attempts: [{ kind: 'gas', tier: 'sponsored', outcome: 'failed', code: expect.any(String), reason: noAnswer }],
    }),
    /"wallet" to gas\.tiers/,
  ],
  [
    'a token of nothing',
    'RESUME_TOKEN_INVALID',
    () => registerAgent(wallet(), { resume: 'token' }),
    () => ({ resumeToken: 'token' }),
    /records/,
  ],
])('%s is %s, with what a program needs and the next step', async (_what, code, act, details, suggestion) => {
  const error: unknown = await act().catch((cause: unknown) => cause)
  expect(error).toMatchObject({
    name: 'WalletError',
    code,
    details: details(),
    suggestion: expect.stringMatching(suggestion),
  })
  expect(Object.keys(Object(error).details)).toEqual(expect.arrayContaining([...walletErrorTable[code].details]))
})

test('the registry that is known for a chain is named where another was given', async () => {
  const rpcUrls = { 8453: nonsense.chain(8453) }
  const wrong = getAgent({ agentId: '8453:0', registry: { identity: nowhere }, rpcUrls, env: {} })
  await expect(wrong).rejects.toMatchObject({
    code: 'REGISTRY_NOT_DEPLOYED',
    suggestion: expect.stringContaining(mainnets),
    details: { knownRegistry: mainnets },
  })
})

function wallet(rpcUrl = devnet().rpcUrl, privateKey = key): ServiceWallet {
  return new ServiceWallet({ mode: 'local', privateKey, chainId: 31337, rpcUrls: { 31337: rpcUrl } })
}

function register(change: Partial<AgentRegistrationConfig>, rpcUrl?: string, by = wallet(rpcUrl)) {
  return registerAgent(by, {
    name: 'Ada',
    role: 'vault_manager',
    ipfsMode: 'inline',
    env: {},
    registry: { identity: registry() },
    gas: { manualWaitMs: 0 },
    loadIdentitySdk: () => Promise.resolve(null),
    ...change,
  })
}

async function agentOfAnother(): Promise<string> {
  const other = wallet(devnet().rpcUrl, generatePrivateKey())
  await devnet().fund(other.address, { ETH: '1' })
  const result = await register({}, undefined, other)
  if (result.status !== 'registered') throw new Error(result.status)
  return result.agentId
}

function look(change: Partial<GetAgentOptions>) {
  const rpcUrls = { 31337: devnet().rpcUrl }
  return getAgent({ agentId: '31337:0', registry: { identity: registry() }, rpcUrls, env: {}, ...change })
}

/** An HTTP server that is no node: a page, other JSON, results of the wrong kind; or a chain on which nothing stands. */
async function startNonsense(): Promise<Nonsense> {
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const [, kind, number] = request.url?.split('/') ?? []
      if (kind === 'page') {
        response.end('<html>Hello</html>')
        return
      }
      response.setHeader('content-type', 'application/json')
      const asked: unknown = JSON.parse(Buffer.concat(parts).toString())
      const answer = ({ id, method }: { readonly id: number; readonly method: string }) => {
        if (kind === 'json') return { hello: 'world' }
        const result =
          kind === 'words' ? 'good morning' : method === 'eth_chainId' ? `0x${Number(number).toString(16)}` : '0x'
        return { jsonrpc: '2.0', id, result }
      }
      const calls = [asked].flat() as { readonly id: number; readonly method: string }[]
      response.end(JSON.stringify(Array.isArray(asked) ? calls.map(answer) : answer(calls[0]!)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    chain: (id) => `${url}/chain/${id}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Nonsense = { readonly url: string; chain(id: number): string; stop(): Promise<void> }
