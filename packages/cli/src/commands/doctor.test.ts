import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWalletProviderServer } from '@svc/test-utils'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { callCommand } from '../calls.fixture.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
  put('.env', '')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const put = (name: string, text: string) => writeFileSync(join(dataDir, name), text, { mode: 0o600 })

type Check = { readonly id: string; readonly status: string; readonly message: string; readonly fix: string | null }

async function doctor(environment: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await callCommand(['doctor', '--json', '--data-dir', dataDir], {
    SVC_LISTEN: '127.0.0.1:0',
    ...environment,
  })
  expect(stderr).toBe('')
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: readonly Check[] }
  const failing = checks.filter(({ status }) => status === 'fail')
  expect([code, ok]).toEqual(failing.length === 0 ? [0, true] : [1, false])
  for (const { fix } of failing) expect(fix).toMatch(/Run: \S/)
  return { checks, failing, ids: failing.map(({ id }) => id) }
}

const key = `0x${'11'.repeat(32)}`

/** An endpoint of Base whose newest block is so many seconds old. */
async function endpoint({ chainId = 8453, headAgeSeconds = 0 } = {}): Promise<Readonly<Record<string, string>>> {
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    eth_getBalance: () => '0x16345785d8a0000',
    eth_call: () => `0x${'0'.repeat(64)}`,
    eth_getBlockByNumber: () => ({
      number: '0x10',
      hash: `0x${'22'.repeat(32)}`,
      timestamp: `0x${(Math.floor(Date.now() / 1_000) - headAgeSeconds).toString(16)}`,
      baseFeePerGas: '0x1',
      transactions: [],
    }),
  }
  const answer = ({ id, method }: { readonly id: number; readonly method: string }) => ({
    jsonrpc: '2.0',
    id,
    result: answers[method]?.() ?? null,
  })
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    request.on('end', () => {
      const asked = JSON.parse(text) as Parameters<typeof answer>[0] | Parameters<typeof answer>[0][]
      const body = Array.isArray(asked) ? asked.map(answer) : answer(asked)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  return { SVC_RPC_URL_8453: `http://127.0.0.1:${await listen(server)}` }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('svc doctor', () => {
  it('asks the identity provider for the app id, where one is named, and names the command where it knows none', async () => {
    const provider = await createWalletProviderServer()
    onTestFinished(() => provider.close())
    const named = { ...(await endpoint()), SVC_IDENTITY_PROVIDER_URL: provider.url }
    expect((await doctor({ ...named, WALLET_APP_ID: provider.appId })).checks).toContainEqual(
      expect.objectContaining({ id: 'app-id', status: 'pass' }),
    )
    const { ids, failing } = await doctor({ ...named, WALLET_APP_ID: 'another' })
    expect([ids, failing[0]?.fix]).toEqual([['app-id'], expect.stringContaining(`Run: echo 'WALLET_APP_ID=`)])
    const away = { ...named, SVC_IDENTITY_PROVIDER_URL: 'http://127.0.0.1:9', WALLET_APP_ID: 'another' }
    expect((await doctor(away)).checks).toContainEqual(expect.objectContaining({ id: 'app-id', status: 'warn' }))
  })

  it('finds nothing wrong where nothing is, with and without a wallet, and says so for a person', async () => {
    const base = await endpoint()
    expect((await doctor(base)).ids).toEqual([])
    const found = await doctor({ ...base, PRIVATE_KEY: key })
    expect(found.ids).toEqual([])
    const ids =
      'node-version core-dumps disk env-file config wallet trading-api subgraph-key production api-keys tls origins data-dir policy rpc-base clock gas port'
    expect(found.checks.map(({ id }) => id).join(' ')).toBe(ids)
    const { code, stdout } = await callCommand(['doctor', '--data-dir', dataDir], {
      ...base,
      SVC_LISTEN: '127.0.0.1:0',
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {4}rpc-base +base answers in \d+ ms/m)
    expect(stdout).toMatch(/\nNothing fails, \d warnings?, \d+ in order\.\n$/)
  })

  // What is broken, and what it is called.
  const secret = `sk-${'x'.repeat(40)}`
  it.each<readonly [string, string, Readonly<Record<string, string>>]>([
    ['a slip in the environment', 'config', { SVC_DATABASE_URLL: 'x' }],
    ['a raw key in production', 'production', { NODE_ENV: 'production', PRIVATE_KEY: key }],
    ['an API key of another form', 'api-keys', { SVC_API_KEY_READ: secret }],
    ['a weak static token', 'api-keys', { MCP_AUTH_TOKEN: 'short' }],
    ['a private key of another form', 'wallet', { PRIVATE_KEY: secret }],
    ['a managed wallet of which half is named', 'wallet', { WALLET_TYPE: 'managed', WALLET_APP_ID: 'app' }],
    ['a profile that signs without a wallet', 'wallet', { SVC_MCP_PROFILE: 'full' }],
    ['a template of endpoints without its key', 'rpc', { SVC_RPC_PROVIDER: 'https://rpc.example/{key}' }],
    ['an unknown dialect', 'trading-api', { SVC_TRADING_API_DIALECT: 'v9' }],
    ['keys that would cross a network in the clear', 'tls', { SVC_LISTEN: '0.0.0.0:3000' }],
    ['an origin that is none', 'origins', { SVC_ALLOWED_ORIGINS: 'app.example.com' }],
    ['a place that is none', 'port', { SVC_LISTEN: 'here' }],
    ['an agent that is none', 'agent', { SVC_AGENT_ID: 'me' }],
    ['a chains file that is not there', 'chains-file', { SVC_CHAINS_FILE: '/nowhere/chains.json' }],
  ])('names %s: %s', async (_what, id, environment) => {
    const { ids, failing } = await doctor({ ...(await endpoint()), ...environment })
    expect([...new Set(ids)]).toEqual([id])
    expect(JSON.stringify(failing)).not.toContain(secret)
  })

  it('names what is wrong with an endpoint', async () => {
    const dead = { SVC_RPC_URL_8453: 'http://127.0.0.1:9' }
    expect((await doctor(dead)).ids).toEqual(['rpc-base'])
    const other = await doctor(await endpoint({ chainId: 1 }))
    expect(other.failing).toMatchObject([{ id: 'rpc-base', message: expect.stringMatching(/another chain/i) }])
    const old = await doctor(await endpoint({ headAgeSeconds: 3_600 }))
    expect(old.failing).toMatchObject([{ id: 'rpc-base', message: expect.stringContaining('lags behind') }])
  })

  it('names a clock that is off, which fails where wallets sign in', async () => {
    const ahead = await endpoint({ headAgeSeconds: -600 })
    const { checks } = await doctor(ahead)
    expect(checks.find(({ id }) => id === 'clock')).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/(599|600) s behind/),
    })
    const signIn = { SVC_SIWE_CHAIN: 'base', SVC_PUBLIC_URL: 'http://localhost:3000/mcp' }
    expect((await doctor({ ...ahead, ...signIn })).ids).toEqual(['clock'])
  })

  it('names a policy that makes no sense, a list without tokens, and allowances that cannot be read', async () => {
    const base = { ...(await endpoint()), PRIVATE_KEY: key }
    put('policy.json', '{"limitsUsd": 3}')
    expect((await doctor(base)).ids).toEqual(['policy'])
    put('policy.json', '{"allowlist":{"mode":"strict"}}')
    put('chains.json', JSON.stringify([{ id: 8453, tokens: [] }]))
    expect((await doctor({ ...base, SVC_CHAINS_FILE: join(dataDir, 'chains.json') })).ids).toEqual(['allowlist'])
    put('owed-allowances.json', '{"garbage":')
    expect((await doctor(base)).ids).toEqual(['data-dir'])
  })

  it('asks the provider of a managed wallet, and names the wallet where it refuses or does not answer', async () => {
    const provider = await createWalletProviderServer()
    onTestFinished(() => provider.close())
    const { walletId, authPrivateKey, address } = await provider.createWallet()
    const managed = {
      ...(await endpoint()),
      NODE_ENV: 'production',
      WALLET_TYPE: 'managed',
      WALLET_APP_ID: provider.appId,
      WALLET_APP_SECRET: provider.appSecret,
      WALLET_ID: walletId,
      WALLET_AUTH_PRIVATE_KEY: authPrivateKey,
      SVC_WALLET_API_URL: provider.url,
    }
    const { ids, checks } = await doctor(managed)
    expect(ids).toEqual([])
    expect(checks.find(({ id }) => id === 'wallet')?.message).toContain(address)
    const refused = await doctor({ ...managed, WALLET_APP_SECRET: secret })
    expect(refused.ids).toEqual(['wallet'])
    expect(JSON.stringify(refused.checks)).not.toContain(secret)
    expect((await doctor({ ...managed, SVC_WALLET_API_URL: 'http://127.0.0.1:9' })).ids).toEqual(['wallet'])
  })

  it('names a port that another program has, and takes a server of ours for what it is', async () => {
    const base = await endpoint()
    const stranger = await listen(createServer((_request, response) => response.end('hello')))
    expect((await doctor({ ...base, SVC_LISTEN: `127.0.0.1:${stranger}` })).ids).toEqual(['port'])
    const ours = await listen(createServer((_request, response) => response.end('{"status":"ok"}')))
    expect((await doctor({ ...base, SVC_LISTEN: `127.0.0.1:${ours}` })).ids).toEqual([])
  })

  it.each<readonly [string, string, () => void]>([
    ['env-file', 'chmod', () => chmodSync(join(dataDir, '.env'), 0o644)],
    ['config', 'sed', () => put('.env', 'SVC_NO_SUCH_SETTING=1\n')],
    ['api-keys', 'sed', () => put('.env', 'SVC_API_KEY_READ=svc_read_x\n')],
    ['api-keys', 'openssl', () => put('.env', 'MCP_AUTH_TOKEN=short\n')],
    ['tls', 'echo', () => put('.env', 'SVC_LISTEN=0.0.0.0:3000\n')],
    ['data-dir', 'mv', () => put('owed-allowances.json', 'garbage')],
    ['env-file', 'mv', () => (rmSync(join(dataDir, '.env')), mkdirSync(join(dataDir, '.env')))],
  ])('says of %s the very command that fixes it: %s', async (id, program, damage) => {
    damage()
    // Where one is in the environment, it holds over the file's.
    const environment = { ...(await endpoint()), ...(id === 'tls' ? { SVC_LISTEN: '' } : {}) }
    const { failing } = await doctor(environment)
    expect(failing.map((check) => check.id)).toEqual([id])
    const command = failing[0]?.fix?.split('Run: ')[1] ?? ''
    expect(command).toContain(program)
    execFileSync('sh', ['-c', command])
    expect((await doctor({ ...environment, SVC_LISTEN: '127.0.0.1:0' })).ids).toEqual([])
  })
})
