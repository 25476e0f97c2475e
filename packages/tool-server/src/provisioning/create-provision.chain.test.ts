import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { createWalletProviderServer, type WalletProviderServer } from '@svc/test-utils'
import { createAuthorizationKey } from '@svc/wallet/provisioning'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { provisionKeys } from '../auth/credentials.ts'
import { readConfig } from '../config.ts'
import { envFilePath, readEnvFile } from '../config/env-file.ts'
import { openServer } from '../open-server.ts'
import { connectFirst } from '../test-server.fixture.ts'
import { walletNotePath } from './obtain-wallet.ts'

const devnet = useDevnet()
const closers: (() => unknown)[] = []
let dataDir: string
let provider: WalletProviderServer

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-provision-'))
  // A seed of its own: the chain lives on from test to test, and the same seed is the same wallet.
  provider = await createWalletProviderServer({ seed: randomUUID() })
  writeFileSync(join(dataDir, 'chains.json'), JSON.stringify([devnet().chain]))
  const named = { vaults: { [devnet().chainId]: devnet().vaults.map(({ address }) => address) } }
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy(named)), { mode: 0o600 })
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const settings = (): Readonly<Record<string, string>> => ({
  SVC_DATA_DIR: dataDir,
  SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
  SVC_LISTEN: '127.0.0.1:0',
  SVC_IPFS_MODE: 'inline',
  LOG_LEVEL: 'silent',
  WALLET_TYPE: 'managed',
  WALLET_APP_ID: provider.appId,
  WALLET_APP_SECRET: provider.appSecret,
  SVC_WALLET_API_URL: provider.url,
  SVC_PROVISION_ROLE: 'vault_participant',
  SVC_PROVISION_OWNER_KEY: createAuthorizationKey().publicKey,
  SVC_PROVISION_CHAINS: devnet().chain.name,
  [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
})

/** What calls tools of a server on these settings, as a client of MCP over HTTP does; and all that it was answered. */
async function serve(environment = settings()) {
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server = await openServer(readConfig(environment))
  const { client } = await connectFirst((await server.listen()).url, keys.write.reveal())
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await client.close()
    await server.close()
  }
  closers.push(close)
  const answers: unknown[] = []
  const call = async (name: string, args: object = {}) => {
    const answer = await client.callTool({ name, arguments: { ...args } })
    answers.push(answer)
    return answer.isError === true
      ? { refused: (answer._meta?.['svc/error'] ?? {}) as Refusal }
      : (answer.structuredContent as Record<string, unknown>)
  }
  return { call, close, said: () => JSON.stringify(answers) }
}

type Refusal = { readonly code: string; readonly message: string; readonly suggestion: string }

const here = () => ({ chain: devnet().chain.name })
const walletsMade = () =>
  provider.requests().filter(({ method, url }) => method === 'POST' && url.endsWith('/v1/wallets')).length
const audited = () =>
  readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => String(event).startsWith('wallet.'))

test('an agent sets itself up: a wallet at the provider, the health of the server, an identity, a deposit into a vault', async () => {
  const { call, close, said } = await serve()
  expect(await call('get_agent_balance', here())).toMatchObject({ refused: { code: expect.any(String) } })
  const before = (await call('check_setup_health')) as { checks: { id: string; status: string; fix: string }[] }
  expect(before.checks).toContainEqual(
    expect.objectContaining({ id: 'wallet', status: 'warn', fix: expect.stringContaining('provision_wallet') }),
  )

  const made = await call('provision_wallet', here())
  const address = made['address'] as `0x${string}`
  const walletId = readEnvFile(envFilePath(dataDir))['WALLET_ID']
  expect(made).toMatchObject({
    status: 'ready',
    walletType: 'managed',
    canRegister: false,
    fund: { address, symbol: 'ETH' },
    notes: expect.arrayContaining([
      expect.stringContaining(
        `${walletId} was made at the provider, its policy before it: what the template of vault_participant`,
      ),
    ]),
  })
  const vault = devnet().vaults.find(({ label }) => label === 'Agent USDC vault')!.address
  await devnet().fund(address, { ETH: '1', USDC: '500' })

  const { checks } = (await call('check_setup_health')) as { checks: { id: string; status: string }[] }
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
  expect(checks.find(({ id }) => id === 'wallet')?.status ?? 'pass').toBe('pass')

  const registered = await call('register_agent', { ...here(), role: 'vault_participant', name: 'Newcomer' })
  expect(registered).toMatchObject({ status: 'success', owner: address })
  const deposited = await call('vault_deposit', { ...here(), vault, amount: '100' })
  expect(deposited).toMatchObject({ status: 'success', vault, assetSymbol: 'USDC' })

  // A repeat gives the same wallet, and so does a server that starts on the directory later.
  const again = await call('provision_wallet', here())
  expect(again).toMatchObject({ address, agentId: registered['agentId'], notes: made['notes'] })
  await close()
  const later = await serve()
  const { notes, ...shown } = await later.call('provision_wallet', here())
  expect(shown).toMatchObject({ address, walletType: 'managed' })
  expect(JSON.stringify(notes)).not.toContain('was made at the provider')
  expect(walletsMade()).toBe(1)

  const written = readEnvFile(envFilePath(dataDir))
  expect([written['WALLET_ID'], statSync(envFilePath(dataDir)).mode & 0o777]).toEqual([walletId, 0o600])
  expect(existsSync(walletNotePath(dataDir))).toBe(false)
  expect(audited()).toMatchObject([
    { event: 'wallet.requested', role: 'vault_participant', principalId: expect.any(String) },
    { event: 'wallet.provisioned', walletId, address, origin: 'made' },
  ])
  const log = readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
  for (const secret of [provider.appSecret, written['WALLET_AUTH_PRIVATE_KEY'] ?? 'none']) {
    expect([said().includes(secret), later.said().includes(secret), log.includes(secret)]).toEqual([
      false,
      false,
      false,
    ])
  }
})

test('however many ask at once, and whatever becomes of an answer of the provider, there is one wallet', async () => {
  const { call } = await serve()
  provider.setFaults([{ fault: 'drop', after: true, methods: ['POST wallets'], times: 1 }])
  const lost = await Promise.all(Array.from({ length: 3 }, () => call('provision_wallet', here())))
  for (const one of lost) {
    expect(one).toMatchObject({
      refused: { code: 'SIGNER_UNAVAILABLE', suggestion: expect.stringContaining('is found') },
    })
  }
  expect([walletsMade(), existsSync(walletNotePath(dataDir))]).toEqual([1, true])
  const found = await Promise.all(Array.from({ length: 3 }, () => call('provision_wallet', here())))
  expect(new Set(found.map(({ address }) => address)).size).toBe(1)
  expect(walletsMade()).toBe(1)
  expect(audited().map(({ event, origin, code }) => [event, origin ?? code])).toEqual([
    ['wallet.requested', undefined],
    ['wallet.refused', 'SIGNER_UNAVAILABLE'],
    ['wallet.requested', undefined],
    ['wallet.provisioned', 'found'],
  ])
})

test('a wallet that is not behind its policy is no wallet of the server, and its key is kept by nobody', async () => {
  const { call } = await serve()
  for (const fault of ['altered', 'lax'] as const) {
    provider.setFaults([{ fault }])
    expect(await call('provision_wallet', here())).toMatchObject({
      refused: { code: 'SIGNER_REFUSED', message: expect.stringContaining('Send nothing to it') },
    })
  }
  expect(readEnvFile(envFilePath(dataDir))).not.toHaveProperty('WALLET_ID')
  expect(existsSync(walletNotePath(dataDir))).toBe(false)
  provider.setFaults([])
  expect(await call('provision_wallet', here())).toMatchObject({ status: 'ready' })
})

test('nothing is made by a dry run, nor where the operator did not allow it, and the answer says how to allow it', async () => {
  const { call, close } = await serve()
  expect(await call('provision_wallet', { ...here(), dryRun: true })).toMatchObject({
    refused: { code: 'WALLET_NOT_CONFIGURED', suggestion: expect.stringContaining('Without dryRun') },
  })
  expect(await call('register_agent', { ...here(), role: 'vault_participant' })).toMatchObject({
    refused: { code: 'WALLET_NOT_CONFIGURED', suggestion: expect.stringContaining('provision_wallet') },
  })
  await close()
  const { SVC_PROVISION_ROLE: _role, WALLET_TYPE: _type, ...closed } = settings()
  const { call: callClosed } = await serve({ ...closed, SVC_MCP_PROFILE: 'full' })
  const { refused } = (await callClosed('provision_wallet', here())) as { refused: Refusal }
  expect(refused.code).toBe('WALLET_NOT_CONFIGURED')
  for (const words of ['svc setup production', 'SVC_PROVISION_ROLE', 'SVC_PROVISION_OWNER_KEY', 'WALLET_APP_ID']) {
    expect(refused.suggestion).toContain(words)
  }
  expect(walletsMade()).toBe(0)
})
