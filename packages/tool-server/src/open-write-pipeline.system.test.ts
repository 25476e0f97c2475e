import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { createPublicClient, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { provisionKeys } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import { devnetPolicy } from '@svc/engine'
import { connectFirst } from './test-server.fixture.ts'
import { repeatOf } from './tools/answer.fixture.ts'

const devnet = useDevnet()
const postgres = usePostgres({ ownServer: true })
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test('writes on PostgreSQL, nothing while it is away, and again by itself, with all it acknowledged', async () => {
  const { environment, databaseUrl, address } = await settings()
  const call = await serve(environment)
  const sent = () => createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount({ address })

  const first = await call('swap-1')
  expect(first).toMatchObject({ structuredContent: { status: 'success' } })
  const before = await sent()
  await postgres().kill()
  expect(await call('swap-2')).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'STORAGE_UNAVAILABLE' } } })
  expect(await call('swap-1')).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'STORAGE_UNAVAILABLE' } } })
  expect(await sent()).toBe(before)

  await postgres().restart()
  const second = await call('swap-2')
  expect(second).toMatchObject({ structuredContent: { status: 'success' } })
  for (const [key, done] of [
    ['swap-1', first],
    ['swap-2', second],
  ] as const) {
    expect((await call(key)).structuredContent).toEqual(repeatOf(done.structuredContent))
  }
  const after = await sent()
  expect(after).toBe(before * 2)

  const beside = await openStore({ url: databaseUrl, now: Date.now })
  closers.push(() => beside.close())
  const journalled = await Promise.all(
    Array.from({ length: after }, (_, nonce) => beside.journal.byNonce(devnet().chainId, address, nonce)),
  )
  expect(journalled.flat().map(({ state }) => state)).toEqual(Array.from({ length: after }, () => 'final'))
  expect(await beside.ledger.open()).toEqual([])
})

test('a wallet that another process writes with signs nothing here', async () => {
  const { environment, address } = await settings()
  const other = await openStore({ url: postgres().url, now: Date.now })
  closers.push(() => other.close())
  const name = `writer:${devnet().chainId}:${address.toLowerCase()}`
  const lease = await other.leases.acquire({ name, holder: 'the other' })
  const call = await serve(environment)
  const refused = { code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('Another process writes') }
  expect(await call('swap-1')).toMatchObject({ isError: true, _meta: { 'svc/error': refused } })
  await lease.release()
  expect(await call('swap-1')).toMatchObject({ structuredContent: { status: 'success' } })
})

test('a database that cannot be reached is refused at the start, by the setting that names it', async () => {
  const { environment } = await settings()
  const opening = openServer(readConfig({ ...environment, SVC_DATABASE_URL: 'postgres://svc:hunter2@127.0.0.1:1/svc' }))
  await expect(opening).rejects.toMatchObject({
    problems: [
      { code: 'DATABASE_UNAVAILABLE', setting: 'SVC_DATABASE_URL', message: 'The database cannot be reached.' },
    ],
  })
  await expect(opening).rejects.not.toThrow('hunter2')
})

async function settings() {
  const dataDir = newDirectory()
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '10' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
  const databaseUrl = await postgres().newSchema()
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  return { environment, databaseUrl, address }
}

/** A server, and what calls its swap with an idempotency key. */
async function serve(environment: Readonly<Record<string, string>>) {
  const config = readConfig(environment)
  const keys = provisionKeys(config, (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server = await openServer(readConfig(environment))
  closers.push(() => server.close())
  const { client } = await connectFirst((await server.listen()).url, keys.write.reveal())
  closers.push(() => client.close())
  const swap = { chain: `${devnet().chainId}`, tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1' }
  return (idempotencyKey: string) => client.callTool({ name: 'execute_swap', arguments: { ...swap, idempotencyKey } })
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-database-'))
  closers.push(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
