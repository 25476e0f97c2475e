import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { pause, readAuditLog, resume, verifyAuditLog } from '@svc/engine/switches'
import { openStore, type Store } from '@svc/store'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { createPublicClient, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiKeyFrom, keyTiers } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import { connectFirst } from './test-server.fixture.ts'
import { catalogue } from './tools/index.ts'

const devnet = useDevnet()
const postgres = usePostgres({ ownServer: true })
const closers: (() => unknown)[] = []
const operator = () => ({ by: 'operator:ada', at: new Date().toISOString() })
let databaseUrl: string
let privateKey: `0x${string}`
let keys: Readonly<Record<string, string>>
/** Beside the servers, over the same database. */
let store: Store

beforeEach(async () => {
  databaseUrl = await postgres().newSchema()
  privateKey = generatePrivateKey()
  keys = newKeys()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '10' })
  store = await openStore({ url: databaseUrl, now: Date.now })
  closers.push(() => store.close())
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test('the second answers reads, refuses writes by the name of the first, and writes once that one has ended', async () => {
  const [a, b] = [await start(), await start()]
  expect([await a.role(), await b.role()]).toEqual(['leader', 'follower'])
  expect(await a.swap('one')).toMatchObject({ structuredContent: { status: 'success' } })
  const refused = await b.swap('two')
  expect(refused).toMatchObject({
    isError: true,
    _meta: { 'svc/error': { code: 'NOT_LEADER', retryable: true, message: expect.stringContaining(hostname()) } },
  })
  expect(await b.call('check_safety_status', {})).toMatchObject({ structuredContent: { paused: false } })
  // Of every tool that only reads none is refused for that, whatever else it says to no arguments.
  for (const { name } of catalogue.filter(({ access }) => access === 'read')) {
    expect([name, codeOf(await b.call(name, {}))]).not.toEqual([name, 'NOT_LEADER'])
  }
  for (const { name } of catalogue.filter(({ access }) => access !== 'read')) {
    expect([name, codeOf(await b.call(name, {}))]).toEqual([name, 'NOT_LEADER'])
  }
  await a.close()
  await expect.poll(b.role).toBe('leader')
  expect(await b.swap('two')).toMatchObject({ structuredContent: { status: 'success' } })
  // What the first answered under a key the second answers from the store.
  const before = await sent()
  expect(await b.swap('one')).toMatchObject({ structuredContent: { status: 'success' } })
  expect(await sent()).toBe(before)
  expect(await verifyAuditLog(b.dataDir)).toMatchObject({ broken: null, continued: 1 })
  const [last, first] = [(await verifyAuditLog(a.dataDir)).last, (await linesOf(b.dataDir))[0]]
  expect(first).toMatchObject({ event: 'audit.continued', seq: last!.seq + 1, prevHash: last!.hash })
}, 120_000)

test('a pause on either stops both at once, and the circuit breaker is one', async () => {
  const [a, b] = [await start(), await start()]
  await pause({ dataDir: b.dataDir, sharedSwitches: store.switches }, { ...operator(), reason: 'odd' })
  expect(codeOf(await a.swap('one'))).toBe('SERVER_PAUSED')
  expect(await b.call('check_safety_status', {})).toMatchObject({ structuredContent: { paused: true } })
  await resume({ dataDir: a.dataDir, sharedSwitches: store.switches }, operator())
  expect(await a.swap('one')).toMatchObject({ structuredContent: { status: 'success' } })
  writeFileSync(join(b.dataDir, 'paused'), '')
  // Each under a key of its own: one that came before the file was seen would be answered the same for good.
  let tries = 0
  await expect.poll(async () => codeOf(await a.swap(`try-${(tries += 1)}`))).toBe('SERVER_PAUSED')
  rmSync(join(b.dataDir, 'paused'))
  await expect.poll(async () => codeOf(await a.swap('three'))).toBeNull()
}, 120_000)

test('overtaken while it has the lease still, one leaves the role: a form that nobody has answered ends, and it leads again', async () => {
  const a = await start({ ...devnetPolicy(), approvalThresholdUsd: '1', approvals: { channels: ['client'] } })
  const { shown, answer } = await a.ask('one')
  await shown
  const { epoch } = await store.leadership!.lead(
    { holder: 'process 1 on host-b', place: 'b', at: Date.now() },
    () => null,
  )
  // Whatever commits next finds out; it may have begun before.
  expect(['NOT_LEADER', 'APPROVAL_REQUIRED']).toContain(codeOf(await a.swap('two')))
  expect(codeOf(await answer)).toBe('NOT_LEADER')
  await expect.poll(async () => (await store.leadership!.read())?.epoch).toBeGreaterThan(epoch)
  await expect.poll(a.role).toBe('leader')
  // The operation waits as it did, and nothing was signed.
  expect(codeOf(await a.swap('one'))).toBe('APPROVAL_REQUIRED')
  expect(await sent()).toBe(0)
}, 120_000)

test('one that begins beside a leader which does not listen yet waits for its keys, and makes none', async () => {
  const first = await open(await settings())
  const { dataDir, other } = await withoutKeys()
  const listening = (await other).listen()
  const refused = listening.catch((error: unknown) => error)
  await first.listen()
  expect(await refused).toMatchObject({ problems: keyTiers.map(() => ({ code: 'API_KEYS_DIFFER' })) })
  expect(existsSync(join(dataDir, '.env'))).toBe(false)
}, 120_000)

test('a server keeps its id in its directory, and one of the same machine has another', async () => {
  const [a, b] = [await start(), await start()]
  const idOf = ({ dataDir }: typeof a) => readFileSync(join(dataDir, 'server.id'), 'utf8').trim()
  expect((await store.leadership!.read())?.place).toBe(idOf(a))
  expect(idOf(b)).not.toBe(idOf(a))
}, 120_000)

test('one with other keys than the leader’s does not serve, and names the settings', async () => {
  await start()
  const other = open({ ...(await settings()), ...newKeys() })
  const server = await other
  await expect(server.listen()).rejects.toMatchObject({
    problems: keyTiers.map((tier) => ({ code: 'API_KEYS_DIFFER', setting: `SVC_API_KEY_${tier.toUpperCase()}` })),
  })
}, 120_000)

test('one with another policy than the leader’s takes over paused, until an operator has compared them', async () => {
  const a = await start()
  const b = await start({ ...devnetPolicy(), approvalThresholdUsd: '999' })
  // Its end in good order says nothing of whoever followed it meanwhile.
  await a.close()
  await expect.poll(b.role).toBe('leader')
  expect(codeOf(await b.swap('one'))).toBe('SERVER_PAUSED')
  expect(await b.call('check_safety_status', {})).toMatchObject({
    structuredContent: { pause: { reason: expect.stringContaining('under another policy') } },
  })
  await resume({ dataDir: b.dataDir, sharedSwitches: store.switches }, operator())
  expect(await b.swap('one')).toMatchObject({ structuredContent: { status: 'success' } })
}, 120_000)

test('one that starts after the leader has ended in good order goes by its own policy', async () => {
  const a = await start()
  await a.close()
  const b = await start({ ...devnetPolicy(), approvalThresholdUsd: '999' })
  expect(await b.swap('one')).toMatchObject({ structuredContent: { status: 'success' } })
}, 120_000)

function newKeys(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    keyTiers.map((tier) => [
      `SVC_API_KEY_${tier.toUpperCase()}`,
      apiKeyFrom(tier, crypto.getRandomValues(new Uint8Array(32))),
    ]),
  )
}

async function settings(policy: object = devnetPolicy()) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-takeover-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  return {
    ...keys,
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_DATABASE_URL: databaseUrl,
    SVC_MCP_PROFILE: 'full',
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
}

async function withoutKeys() {
  const environment = await settings()
  const bare = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SVC_API_KEY_')))
  return { dataDir: environment.SVC_DATA_DIR, other: open(bare) }
}

async function open(environment: Readonly<Record<string, string>>) {
  const server = await openServer(readConfig(environment))
  closers.push(() => server.close())
  return server
}

/** A server, and what calls its tools. */
async function start(policy?: object) {
  const environment = await settings(policy)
  const server = await open(environment)
  const { url } = await server.listen()
  const { client } = await connectFirst(url, keys['SVC_API_KEY_WRITE'] ?? '')
  closers.push(() => client.close())
  const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input })
  const swap = { chain: `${devnet().chainId}`, tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1' }
  return {
    dataDir: environment.SVC_DATA_DIR,
    call,
    /** The same by a client whose person never answers. */
    ask: async (idempotencyKey: string) => {
      const asking = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
      const shown = new Promise<void>((resolve) => {
        asking.setRequestHandler(ElicitRequestSchema, () => {
          resolve()
          return new Promise(() => undefined)
        })
      })
      const headers = { authorization: `Bearer ${keys['SVC_API_KEY_WRITE']}` }
      await asking.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
      closers.push(() => asking.close())
      const answer = asking.callTool({ name: 'execute_swap', arguments: { ...swap, idempotencyKey } })
      answer.catch(() => undefined)
      return { shown, answer }
    },
    swap: (idempotencyKey: string) => call('execute_swap', { ...swap, idempotencyKey }),
    role: async () => {
      const answer: unknown = await (await fetch(url.replace(/mcp$/, 'healthz'))).json()
      return (answer as { role?: string }).role
    },
    close: () => server.close(),
  }
}

function codeOf({ _meta }: Awaited<ReturnType<Awaited<ReturnType<typeof start>>['call']>>): string | null {
  const error = _meta?.['svc/error'] as { code: string } | undefined
  return error?.code ?? null
}

function sent(): Promise<number> {
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  return createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount({ address })
}

async function linesOf(dataDir: string): Promise<readonly Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  for await (const { text } of readAuditLog(dataDir)) lines.push(JSON.parse(text))
  return lines
}
