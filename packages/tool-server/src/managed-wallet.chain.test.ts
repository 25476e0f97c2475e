import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, http } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { createWalletProviderServer } from '@svc/test-utils'
import { provisionKeys } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import { devnetPolicy } from '@svc/engine'
import { pause, resume } from '../../engine/src/switches/kill-switch.ts'
import { parsePolicy } from '../../engine/src/policy/policy.ts'
import { compilePolicy } from '../../engine/src/provider-policy/compile-policy.ts'
import { connectFirst } from './test-server.fixture.ts'

const devnet = useDevnet()
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test('swaps with a managed wallet: signed at the provider under its policy, sent by this server', async () => {
  const { provider, address, serve } = await open()
  const call = await serve()
  const done = await call('swap-1', 'WETH', 'USDC')
  expect(done).toMatchObject({ structuredContent: { status: 'success' } })
  const sent = await transactionCount(address)
  expect([sent > 0, provider.signatures()]).toEqual([true, sent])
  const methods = provider.requests().map(({ body }) => (body as { method?: string }).method)
  expect(new Set(methods.filter((method) => method !== undefined))).toEqual(new Set(['eth_signTransaction']))
})

test('a lost reply is one signature and one swap', async () => {
  const { provider, address, serve } = await open()
  const call = await serve()
  provider.setFaults([{ fault: 'drop', after: true, methods: ['eth_signTransaction'], times: 1 }])
  expect(await call('swap-1', 'WETH', 'USDC')).toMatchObject({ structuredContent: { status: 'success' } })
  expect(provider.signatures()).toBe(await transactionCount(address))
})

test.each([
  ['SIGNER_UNAVAILABLE', { fault: 'error', times: 2 }],
  ['SIGNER_UNAVAILABLE', { fault: 'rate-limit', retryAfterSeconds: 1, times: 1 }],
  ['SIGNER_UNAUTHORIZED', { fault: 'error', status: 401, times: 1 }],
] as const)('%s: nothing is sent after %j, and the next call goes through', async (code, fault) => {
  const { provider, address, serve } = await open()
  const call = await serve()
  provider.setFaults([{ ...fault, methods: ['eth_signTransaction'] }])
  expect(await call('swap-1', 'WETH', 'USDC')).toMatchObject({ isError: true, _meta: { 'svc/error': { code } } })
  expect(await transactionCount(address)).toBe(0)
  provider.setFaults([])
  expect(await call('swap-2', 'WETH', 'USDC')).toMatchObject({ structuredContent: { status: 'success' } })
})

test.each([
  ['SIGNER_UNAVAILABLE', { fault: 'altered' }],
  ['SIGNER_UNAUTHORIZED', { fault: 'other-key' }],
] as const)('%s: what a provider signed instead is never sent: %j', async (code, fault) => {
  const { provider, address, serve } = await open()
  const call = await serve()
  provider.setFaults([{ ...fault, methods: ['eth_signTransaction'] }])
  expect(await call('swap-1', 'WETH', 'USDC')).toMatchObject({ isError: true, _meta: { 'svc/error': { code } } })
  expect([provider.signatures(), await transactionCount(address)]).toEqual([1, 0])
})

test('a pause while the provider signs: what comes back is dropped, and nothing sends it later', async () => {
  const { provider, address, serve, dataDir } = await open()
  const call = await serve()
  provider.setFaults([{ fault: 'delay', delayMs: 5_000, methods: ['eth_signTransaction'], times: 1 }])
  const swapping = call('swap-1', 'WETH', 'USDC')
  const asked = () => provider.requests().filter(({ url }) => url.endsWith('/rpc'))
  await expect.poll(asked).toHaveLength(1)
  await pause({ dataDir }, { at: new Date().toISOString(), by: 'test', reason: null })
  expect(await swapping).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'SERVER_PAUSED' } } })
  expect([provider.signatures(), await transactionCount(address)]).toEqual([1, 0])
  await resume({ dataDir }, { at: new Date().toISOString(), by: 'test' })
  expect(await call('swap-2', 'WETH', 'USDC')).toMatchObject({ structuredContent: { status: 'success' } })
})

test('registers its agent under the policy of the provider', async () => {
  const { provider, address, environment } = await open()
  const client = await connect(environment)
  const chain = `${devnet().chainId}`
  const call = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: { chain, ...args } })).structuredContent
  expect(await call('provision_wallet', {})).toMatchObject({ address, walletType: 'managed', canRegister: true })
  const done = await call('register_agent', { role: 'vault_manager', name: 'Keeper' })
  expect(done).toMatchObject({ status: 'success', owner: address })
  expect([provider.signatures(), await transactionCount(address)]).toEqual([1, 1])
  expect(await call('query_agent_identity', { address })).toMatchObject({ agents: [{ owner: address }] })
})

test('what the policy of the provider does not allow is refused there, although the own policy allows it', async () => {
  const { address, serve } = await open({ withoutRouters: true })
  const call = await serve()
  const refused = { isError: true, _meta: { 'svc/error': { code: 'SIGNER_REFUSED', retryable: false } } }
  expect(await call('swap-1', 'ETH', 'USDC')).toMatchObject(refused)
  expect(await transactionCount(address)).toBe(0)
})

test('a provider that does not answer, or another secret, is refused at the start, and no secret is shown', async () => {
  const { provider, environment } = await open()
  const refusal = (change: object) =>
    openServer(readConfig({ ...environment, ...change })).then(
      () => 'started',
      (error: unknown) => error,
    )
  const problem = (setting: string, fix: string) => ({
    problems: [{ code: 'MANAGED_WALLET_UNAVAILABLE', setting, fix: expect.stringContaining(fix) }],
  })
  expect(await refusal({ WALLET_APP_SECRET: 'another-secret' })).toMatchObject(
    problem('WALLET_APP_SECRET', 'Correct WALLET_APP_ID, WALLET_APP_SECRET or'),
  )
  await provider.close()
  const error = await refusal({})
  expect(error).toMatchObject(problem('SVC_WALLET_API_URL', `Asked was ${provider.url}. Start again when it answers`))
  expect(String(error)).not.toContain(provider.appSecret)
})

async function open(options: { readonly withoutRouters?: boolean } = {}) {
  // A seed of its own: the chain lives on from test to test, and the same seed is the same wallet.
  const provider = await createWalletProviderServer({ seed: randomUUID() })
  closers.push(provider.close)
  const policy = parsePolicy(devnetPolicy(), { production: false })
  const compiled = JSON.parse(JSON.stringify(compilePolicy(policy, [devnet().chain], { role: 'vault_manager' })))
  const { rules } = compiled.policy
  if (options.withoutRouters === true) {
    compiled.policy.rules = rules.filter(({ name }: { name: string }) => !/router/i.test(name))
  }
  const { aggregations } = compiled
  const made = await provider.createWallet({ policy: compiled.policy, aggregations })
  await devnet().fund(made.address, { ETH: '10', WETH: '10' })
  const environment = settings(provider, made)
  return {
    provider,
    environment,
    dataDir: environment.SVC_DATA_DIR,
    address: made.address,
    serve: () => serve(environment),
  }
}

function settings(
  provider: { readonly url: string; readonly appId: string; readonly appSecret: string },
  made: { readonly walletId: string; readonly authPrivateKey: string },
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-managed-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
  return {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    WALLET_TYPE: 'managed',
    WALLET_APP_ID: provider.appId,
    WALLET_APP_SECRET: provider.appSecret,
    WALLET_ID: made.walletId,
    WALLET_AUTH_PRIVATE_KEY: made.authPrivateKey,
    SVC_WALLET_API_URL: provider.url,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
}

/** A client of a server on these settings. */
async function connect(environment: Readonly<Record<string, string>>) {
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server = await openServer(readConfig(environment))
  closers.push(() => server.close())
  const { client } = await connectFirst((await server.listen()).url, keys.write.reveal())
  closers.push(() => client.close())
  return client
}

/** What calls the swap of a server with an idempotency key. */
async function serve(environment: Readonly<Record<string, string>>) {
  const client = await connect(environment)
  return (idempotencyKey: string, tokenIn: string, tokenOut: string) => {
    const swap = { chain: `${devnet().chainId}`, tokenIn, tokenOut, amount: '0.1', idempotencyKey }
    return client.callTool({ name: 'execute_swap', arguments: swap })
  }
}

function transactionCount(address: `0x${string}`): Promise<number> {
  return createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount({ address })
}
