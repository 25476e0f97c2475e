import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { settings } from '@svc/tool-server'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { goneAfter, program, run, type Run } from './processes.fixture.ts'

const devnet = useDevnet()
const timeout = 300_000

let dataDir: string
const opened: (() => unknown)[] = []
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-canary-'))))
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  rmSync(dataDir, { recursive: true, force: true })
})

const random = () => randomBytes(32).toString('base64url')

/** A value of its own for every secret setting there is, so that a new one cannot be forgotten. */
function canaries(rpcUrl: (key: string) => string) {
  const chainId = `${devnet().chainId}`
  const made: Record<string, string> = {}
  for (const { name, secret } of settings) {
    if (!secret || name === 'SVC_DATABASE_URL') continue
    const key = random()
    const tier = /^SVC_API_KEY_(\w+)$/.exec(name)?.[1]?.toLowerCase()
    const value =
      name === 'PRIVATE_KEY'
        ? `0x${randomBytes(32).toString('hex')}`
        : name === 'SVC_RPC_URL_<chainId>' || name === 'SVC_PRIVATE_RPC_URL_<chainId>'
          ? rpcUrl(key)
          : name === 'SVC_RPC_PROVIDER'
            ? `https://rpc.invalid/{chain}/${key}/{key}`
            : name.includes('_URL_') || name === 'SVC_WEBHOOK_URL'
              ? `https://service.invalid/v1/${key}?apikey=${random()}`
              : name === 'SVC_WEBHOOK_SECRET'
                ? `whsec_${randomBytes(32).toString('base64')}`
                : tier === undefined
                  ? key
                  : `svc_${tier}_${key}`
    made[name.replace('<chainId>', chainId)] = value
  }
  return made
}

/** An endpoint like real ones: it hands on to the chain, and in trouble repeats the URL it was asked at, key and all, and who asked. */
async function startEndpoint() {
  const state = { isBroken: false }
  const server = createServer((request: IncomingMessage, response) => {
    const answer = async () => {
      const body = await text(request)
      const { authorization } = request.headers
      if (authorization === undefined) return response.writeHead(401).end()
      if (state.isBroken) {
        const message = `no access to ${request.url} with ${authorization} for ${body.slice(0, 4_000)}`
        response.writeHead(body.includes('eth_call') ? 200 : 500, { 'content-type': 'application/json' })
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message, data: message } }))
      }
      const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(await (await fetch(devnet().rpcUrl, init)).text())
    }
    answer().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { state, url: (key: string) => `http://${random()}:${random()}@127.0.0.1:${port}/v2/${key}` }
}

/** Each value as it stands, and in the spellings it may travel in; lower case, for hex. */
function spellings(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).flatMap(([name, whole]) => {
    const parts = URL.canParse(whole)
      ? partsOf(new URL(whole)).filter((part) => part.length > 20)
      : [whole.replace(/^0x/, '').replace(/^svc_[a-z]+_|^whsec_/, '')]
    return parts.flatMap((value) => {
      const bytes = Buffer.from(value)
      const raw = /^[0-9a-f]{64}$/.test(value) ? [Buffer.from(value, 'hex').toString('base64').replace(/=+$/, '')] : []
      const base64 = bytes.toString('base64').replace(/=+$/, '')
      const spelled = [
        value,
        bytes.toString('hex'),
        base64,
        base64.replace(/\+/g, '-'),
        encodeURIComponent(value),
        ...raw,
      ]
      return spelled.map((one) => [name, one.toLowerCase()] as const)
    })
  })
}

/** The user and password also as they travel. */
function partsOf({ pathname, searchParams, username, password }: URL): readonly string[] {
  const basic = Buffer.from(`${username}:${password}`).toString('base64').replace(/=+$/, '')
  return [...pathname.split('/'), ...searchParams.values(), username, password, basic]
}

function hits(sinks: Readonly<Record<string, string>>, values: Readonly<Record<string, string>>): readonly string[] {
  const wanted = spellings(values)
  return Object.entries(sinks).flatMap(([sink, content]) => {
    const lower = content.toLowerCase()
    return wanted.filter(([, spelling]) => lower.includes(spelling)).map(([name]) => `${name} in ${sink}`)
  })
}

const files = (): Record<string, string> =>
  Object.fromEntries(readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'latin1')]))

/** Every tool with nothing, with loose arguments and with the secrets themselves as arguments; and what works. */
async function useEverything(client: Client, secrets: readonly string[]): Promise<string> {
  const { tools } = await client.listTools()
  const answers: unknown[] = [tools]
  const ask = async (name: string, input: Record<string, unknown>) =>
    answers.push(await client.callTool({ name, arguments: input }).catch((error: unknown) => String(error)))
  for (const { name, inputSchema } of tools) {
    const members = Object.keys(inputSchema.properties ?? {})
    await ask(name, {})
    for (const secret of secrets.slice(0, 3)) {
      await ask(name, { ...Object.fromEntries(members.map((member) => [member, secret])), [secret]: secret })
    }
  }
  const swap = { chain: 'local', tokenIn: 'USDC', tokenOut: 'WETH', amount: '10' }
  await ask('get_quote', { ...swap, amount: '1' })
  await ask('get_agent_balance', { chain: 'local' })
  await ask('check_setup_health', { verbose: true })
  await ask('check_safety_status', {})
  await ask('execute_swap', { ...swap, dryRun: true })
  await ask('execute_swap', swap)
  return JSON.stringify(answers)
}

/** Watches a position out of its range, so that its webhook is signed and fails at a place that is not there. */
async function watchFromAfar(client: Client): Promise<string> {
  const range = { priceLower: 10_000, priceUpper: 20_000 }
  const pair = { chain: 'local', version: 'v3', token0: 'ETH', token1: 'USDC', fee: 500, amount0: '0.1' }
  const opened = await client.callTool({ name: 'add_liquidity', arguments: { ...pair, ...range } })
  const { positionId } = opened.structuredContent as { positionId: string }
  const watch = { chain: 'local', version: 'v3', positionId, ilPct: 50 }
  return JSON.stringify([opened, await client.callTool({ name: 'watch_position', arguments: watch })])
}

it('G12: no secret leaves the process by any way but the one it is for', { timeout }, async () => {
  const endpoint = await startEndpoint()
  const secrets = canaries(endpoint.url)
  const values = Object.values(secrets)
  const wallet = new ServiceWallet({ mode: 'local', privateKey: secrets['PRIVATE_KEY'] as `0x${string}` })
  await devnet().fund(wallet.address, { ETH: '10', USDC: '50000' })
  writeFileSync(join(dataDir, 'chains.json'), JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
  const env = {
    ...secrets,
    WALLET_TYPE: 'local',
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'debug',
    SVC_WATCH_SECONDS: '15',
  }
  const serve = (more: Readonly<Record<string, string>> = {}): Run => {
    const server = run(process.execPath, [program, 'serve', '--transport', 'http'], { env: { ...env, ...more } })
    opened.push(() => server.end())
    return server
  }
  const sinks: Record<string, string> = {}

  const server = serve()
  const url = (await server.said(/http:\/\/\S+\/mcp/)).trim()
  const client = new Client({ name: 'test', version: '1' })
  const headers = { Authorization: `Bearer ${secrets['SVC_API_KEY_WRITE']}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const asked = values.filter((value) => value !== secrets['SVC_API_KEY_WRITE'])
  sinks['answers over HTTP'] = await useEverything(client, asked)
  expect(sinks['answers over HTTP']).toMatch(/"txHash":"0x/)
  sinks['answers of a watch'] = await watchFromAfar(client)
  await expect.poll(() => server.printed.stderr, { timeout: 120_000 }).toContain('webhook.failed')
  sinks['what was found'] = JSON.stringify(await client.callTool({ name: 'list_watches', arguments: {} }))
  expect(sinks['what was found']).toMatch(/out_of_range.*"webhook":"pending"/)
  // Written behind the write, when its prices are there; a minute later where the write was quicker than they.
  await expect.poll(() => Object.keys(files()), { timeout: 120_000 }).toContain('balances.json')
  endpoint.state.isBroken = true
  sinks['answers in trouble'] = await useEverything(client, asked)
  endpoint.state.isBroken = false
  for (const value of values.filter((value) => !/[{}]/.test(value))) {
    const stranger = { 'content-type': 'application/json', authorization: `Bearer ${value}x`, 'x-api-key': value }
    const answer = await fetch(url, { method: 'POST', headers: stranger, body: `{"${value}` })
    sinks[`refusal ${answer.status}`] = `${sinks[`refusal ${answer.status}`] ?? ''}${await answer.text()}`
  }
  await client.close()
  process.kill(server.session, 'SIGTERM')
  await goneAfter(server)
  sinks['stdout'] = server.printed.stdout
  sinks['stderr'] = server.printed.stderr
  expect(sinks['stderr']).toContain('tool.call')

  const local = new Client({ name: 'test', version: '1' })
  const args = [program, 'serve', '--transport', 'stdio']
  const transport = new StdioClientTransport({ command: process.execPath, args, env, cwd: dataDir, stderr: 'pipe' })
  let printed = ''
  transport.stderr?.on('data', (chunk: Buffer) => void (printed += chunk.toString()))
  await local.connect(transport)
  sinks['answers over stdio'] = await useEverything(local, asked)
  await local.close()
  sinks['stderr over stdio'] = printed

  const password = random()
  const broken: readonly Readonly<Record<string, string>>[] = [
    { PRIVATE_KEY: `${secrets['PRIVATE_KEY']}ff` },
    { SVC_DATABASE_URL: `postgres://svc:${password}@127.0.0.1:9/svc` },
    { SVC_API_KEY_READ: `${secrets['SVC_API_KEY_READ']}!` },
    { NODE_ENV: 'production' },
  ]
  for (const [index, change] of broken.entries()) {
    const failed = serve(change)
    expect(await failed.exited).toBe(1)
    sinks[`a start that fails, ${index}`] = failed.printed.stdout + failed.printed.stderr
  }
  const written = files()
  expect(Object.keys(written)).toEqual(
    expect.arrayContaining(['audit.jsonl', 'state.db', 'recorded.json', 'balances.json']),
  )
  expect(hits({ ...sinks, ...written }, { ...secrets, SVC_DATABASE_URL: password })).toEqual([])
})
