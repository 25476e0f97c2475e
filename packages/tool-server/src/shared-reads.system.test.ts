import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { openStore, type Store } from '@svc/store'
import { type Address, createPublicClient, http, isAddressEqual, toFunctionSelector } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keptUnder } from '../../amm/src/history/bars/read-traded-bars.ts'
import { connectFirst } from './test-server.fixture.ts'

const devnet = useDevnet({ history: true })
const postgres = usePostgres({ ownServer: true })
const closers: (() => unknown)[] = []
let databaseUrl: string
/** Beside the replicas, over the same database. */
let store: Store

beforeEach(async () => {
  databaseUrl = await postgres().newSchema()
  store = await openStore({ url: databaseUrl, now: Date.now })
  closers.push(() => store.close())
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test('a further replica asks the chain for nothing of closed bars and of tokens that others have read', async () => {
  const closed = await closedBars()
  const first = await startReplica()
  const answered = await askAll(first, closed)
  requireAllRead(countOf(first, closed))
  await untilTokenIsKept()
  await expect.poll(() => askFresh(closed)).toEqual([answered, { past: 0, token: 0 }])
})

test('rows that say nothing sensible are read anew from the chain, and mended', async () => {
  const closed = await closedBars()
  const [first, second] = [await startReplica(), await startReplica()]
  const answered = await askAll(first, closed)
  await untilTokenIsKept()
  const bars = { chainId: devnet().chainId, pool: keptUnder(busiestPool()), barSeconds: 3_600 }
  const chunks = await store.bars.read(bars, 0, closed.until)
  expect(chunks.length).toBeGreaterThan(5)
  await store.bars.keep(
    bars,
    chunks.map(({ startsAt, content }) => ({ startsAt, content: `AAAA ${content}` })),
  )
  const broken = '{"decimals":780,"symbol":"USDC","name":null}'
  await store.tokens.keep(oddToken(), broken)
  expect(await askAll(second, closed)).toEqual(answered)
  requireAllRead(countOf(second, closed))
  await expect.poll(() => store.tokens.read(oddToken())).not.toBe(broken)
  const isBroken = ({ content }: { readonly content: string }) => content.startsWith('AAAA ')
  await expect.poll(async () => (await store.bars.read(bars, 0, closed.until)).filter(isBroken)).toEqual([])
  await expect.poll(() => askFresh(closed)).toEqual([answered, { past: 0, token: 0 }])
})

test('a server that signs takes what tokens are from its own chain, whatever a replica kept', async () => {
  const { address } = oddToken()
  const decimalsOf = async ({ client }: Replica) => {
    const given = { chain: String(devnet().chainId), token: address }
    const { structuredContent } = await client.callTool({ name: 'get_token_info', arguments: given })
    return (structuredContent as { decimals?: number }).decimals
  }
  expect(await decimalsOf(await startReplica())).toBe(18)
  await untilTokenIsKept()
  await store.tokens.keep(oddToken(), '{"decimals":7,"symbol":"FOT","name":null}')
  expect(await decimalsOf(await startReplica())).toBe(7)
  const signing = { SVC_MCP_PROFILE: 'full', PRIVATE_KEY: generatePrivateKey() }
  expect(await decimalsOf(await startReplica(signing))).toBe(18)
})

test('a replica whose database went away answers out of the chain', async () => {
  const closed = await closedBars()
  const replica = await startReplica()
  const other = await startReplica()
  const answered = await askAll(other, closed)
  await postgres().kill()
  closers.push(() => postgres().restart())
  expect(await askAll(replica, closed)).toEqual(answered)
})

const busiestPool = () => devnet().pools.find(({ version, fee }) => version === 'v3' && fee === 500)!

/** One that no list knows. */
function oddToken() {
  const { address } = devnet().tokens.find(({ symbol }) => symbol === 'FOT')!
  return { chainId: devnet().chainId, address: address.toLowerCase() as Address }
}

/** A server that only reads, in a process of its own, and what it asked of the chain. */
async function startReplica(settings: Readonly<Record<string, string>> = {}) {
  const { chainId, rpcUrl, chain } = devnet()
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-replica-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([chain]))
  const proxy = await countRequests(rpcUrl)
  const env = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_MCP_PROFILE: 'data',
    SVC_DATABASE_URL: databaseUrl,
    MCP_AUTH_TOKEN: token,
    [`SVC_RPC_URL_${chainId}`]: proxy.url,
    ...settings,
  }
  const child = spawn(process.execPath, [program, '--transport', 'http'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  closers.push(() => ended(child))
  const { client } = await connectFirst(await urlOf(child), token)
  return { client, child, calls: proxy.calls }
}

type Replica = Awaited<ReturnType<typeof startReplica>>

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const token = 'b3BlbnNzbC1yYW5kLWJhc2U2NC0zMi1ieXRlcy1sb25nLWVub3VnaA'

async function urlOf(child: ChildProcess & { readonly stderr: NodeJS.ReadableStream | null }): Promise<string> {
  let said = ''
  for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
    const url = /listens on (\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
    said += `${line}\n`
  }
  throw new Error(said)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

type Call = { readonly method: string; readonly params: readonly Record<string, unknown>[] }

/** Passes on what is asked of the chain, and keeps it. */
async function countRequests(rpcUrl: string) {
  const calls: Call[] = []
  const headers = { 'content-type': 'application/json' }
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    calls.push(...([JSON.parse(body)].flat() as Call[]))
    response.end(await (await fetch(rpcUrl, { method: 'POST', headers, body })).text())
  }
  const server = createServer((request, response) => void passOn(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

/** Reads of the past of a pool and of a token that no list knows, and what they say of bars that are closed and of the token. */
async function askAll({ client }: Replica, { until }: ClosedBars) {
  const chain = String(devnet().chainId)
  const { id } = busiestPool()
  const { address } = oddToken()
  const call = async (name: string, input: Record<string, unknown>) => {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: { chain, ...input } })
    if (isError === true) throw new Error(JSON.stringify(content))
    const {
      timestamp: _,
      blockNumber: __,
      blockAgeSeconds: ___,
      ...answer
    } = structuredContent as Record<string, unknown>
    return answer
  }
  const [start, end] = [until - 7 * day, until].map((seconds) => new Date(seconds * 1_000).toISOString())
  const history = await call('get_price_history', { pool: id, start, end })
  const volume = await call('get_volume_history', { pool: id, start, end })
  await call('optimize_lp_range', { token0: 'WETH', token1: 'USDC', fee: 500, amount: '1000' })
  const { symbol, name, decimals } = await call('get_token_info', { token: address })
  return { history, volume, token: { symbol, name, decimals } }
}

/**
 * What a replica that was just started answers, and asked the chain for. Answers do not wait until what was read is kept, and a busy database
 * may not take it in time: then whoever reads it next keeps it.
 */
async function askFresh(closed: ClosedBars) {
  const replica = await startReplica()
  const answered = await askAll(replica, closed)
  const { past, token } = countOf(replica, closed)
  // In order, with what it keeps: many at once would hold more connections than the database has.
  replica.child.kill('SIGTERM')
  await once(replica.child, 'exit')
  return [answered, { past, token }]
}

const day = 86_400

/** The last block of the day that every closed bar was certainly kept of: chunks hold the hours of a day, and settle for an hour. */
async function closedBars() {
  const client = createPublicClient({ transport: http(devnet().rpcUrl) })
  const until = BigInt(Math.floor((Date.now() / 1_000 - 3_600) / day) * day)
  let [before, from] = [0n, await client.getBlockNumber()]
  while (from - before > 1n) {
    const blockNumber = (before + from) / 2n
    if ((await client.getBlock({ blockNumber })).timestamp < until) before = blockNumber
    else from = blockNumber
  }
  return { until: Number(until), block: before }
}

type ClosedBars = Awaited<ReturnType<typeof closedBars>>

/**
 * Requests for logs of a pool in blocks of closed bars, and for what the token says of itself. The last day of pools, at once or
 * one by one, is a window that moves with the head and no bar: on this short chain its range begins where the bars do.
 */
function countOf({ calls }: Replica, { block }: ClosedBars) {
  const { address } = oddToken()
  const facts = ['decimals', 'symbol', 'name'].map((name) => toFunctionSelector(`${name}()`))
  const counted = (is: (method: string, asked: Record<string, unknown>) => boolean) =>
    calls.filter(({ method, params: [asked] }) => asked !== undefined && is(method, asked)).length
  const isOfPool = (method: string, { address: of }: Record<string, unknown>) =>
    method === 'eth_getLogs' && typeof of === 'string'
  return {
    past: counted((method, asked) => isOfPool(method, asked) && BigInt(asked['toBlock'] as string) <= block),
    /** With those that go on to the head. */
    begun: counted((method, asked) => isOfPool(method, asked) && BigInt(asked['fromBlock'] as string) <= block),
    token: counted(
      (_, { to, data }) =>
        typeof to === 'string' && isAddressEqual(to as Address, address) && facts.some((fact) => fact === data),
    ),
  }
}

function requireAllRead({ begun, token }: ReturnType<typeof countOf>) {
  expect(begun).toBeGreaterThan(0)
  expect(token).toBe(3)
}

/** No answer waits for it. */
async function untilTokenIsKept() {
  await expect.poll(() => store.tokens.read(oddToken())).not.toBeNull()
}
