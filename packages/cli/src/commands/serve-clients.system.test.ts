import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { goneAfter, installedProgram, program, repository, run, upOnAnyPort, type Run } from '../processes.fixture.ts'

const timeout = 300_000

let directory: string
const opened: (() => unknown)[] = []
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  rmSync(directory, { recursive: true, force: true })
})

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const started = run(command, args, { cwd: directory, env })
  opened.push(() => started.end())
  return started
}

/** Nothing is set, as when a person has only just cloned. */
const stdio = () => ({
  command: process.execPath,
  args: [program, 'serve', '--transport', 'stdio'],
  env: {},
  cwd: directory,
  stderr: 'ignore' as const,
})

const current = { versionNegotiation: { mode: 'auto' as const } }

describe('svc serve --transport stdio, without any setting', { timeout }, () => {
  it.each([
    ['of the current SDK, 2026-07-28', current],
    ['of the current SDK, 2025 handshake', {}],
  ])('lets a client %s read, and read only', async (_name, options) => {
    const client = new Client({ name: 'test', version: '1' }, options)
    await client.connect(new StdioClientTransport(stdio()))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('get_quote')
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    const answer = await client.callTool({ name: 'search_tokens', arguments: { query: 'USDC', chain: 'base' } })
    expect(answer).toMatchObject({ structuredContent: { items: [{ symbol: 'USDC', chain: { id: 8453 } }] } })
    await client.close()
    expect(readdirSync(directory)).toEqual([])
  })

  it('lets a client of the first SDK read, and read only', async () => {
    const client = new FirstClient({ name: 'test', version: '1' })
    await client.connect(new FirstTransport(stdio()))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('get_quote')
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    const answer = await client.callTool({ name: 'search_tokens', arguments: { query: 'USDC', chain: 'base' } })
    expect(answer).toMatchObject({ structuredContent: { items: [{ symbol: 'USDC', chain: { id: 8453 } }] } })
    const refused = await client.callTool({ name: 'execute_swap', arguments: {} })
    expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': { code: expect.any(String) } } })
    await client.close()
    expect(readdirSync(directory)).toEqual([])
  })

  it('starts under the profile learning, and keeps what clients of both SDKs leave over a restart', async () => {
    const env = { SVC_MCP_PROFILE: 'learning', PRIVATE_KEY: `0x${'5a'.repeat(32)}`, LOG_LEVEL: 'error' }
    const pair = { chain: 'base', token0: 'WETH', token1: 'USDC' }
    const recording = [
      'cancel_watch',
      'manage_insight',
      'submit_operator_feedback',
      'update_memory_confidence',
      'watch_position',
    ]
    const client = new Client({ name: 'test', version: '1' }, current)
    await client.connect(new StdioClientTransport({ ...stdio(), env }))
    const { tools } = await client.listTools()
    const listed = tools.filter(({ name }) => recording.includes(name))
    expect(listed.map(({ name }) => name).toSorted()).toEqual(recording)
    expect(listed.map(({ annotations }) => [annotations?.readOnlyHint, annotations?.destructiveHint])).toEqual([
      [false, false],
      [false, false],
      [false, false],
      [false, false],
      [false, false],
    ])
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['add_liquidity', 'optimize_lp_range']))
    const added = { ...pair, action: 'add', text: 'Fees fall on Sundays.' }
    expect(await client.callTool({ name: 'manage_insight', arguments: added })).toMatchObject({
      structuredContent: { insights: [{ text: 'Fees fall on Sundays.', chainId: 8453 }], source: 'records' },
    })
    await client.close()
    const first = new FirstClient({ name: 'test', version: '1' })
    await first.connect(new FirstTransport({ ...stdio(), env }))
    const answer = await first.callTool({ name: 'manage_insight', arguments: { ...pair, action: 'list' } })
    expect(answer).toMatchObject({ structuredContent: { insights: [{ text: 'Fees fall on Sundays.' }] } })
    await first.close()
  })

  it('writes only JSON-RPC to stdout, and ends with its stdin in the middle of a line', async () => {
    const server = start(process.execPath, [program, 'serve', '--transport', 'stdio'])
    const send = (text: string) => server.child.stdin?.write(text)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    send(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\nthis is no JSON\n`)
    send(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    send(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`)
    await server.said(/"id":2/)
    send('{"jsonrpc":"2.0","id":')
    server.child.stdin?.end()
    await goneAfter(server)
    expect(await server.exited).toBe(0)
    const lines = server.printed.stdout.trimEnd().split('\n')
    const answers = lines.map((line): unknown => JSON.parse(line))
    expect(answers).toHaveLength(3)
    for (const answer of [{ id: 1 }, { id: null, error: { code: -32_700 } }, { id: 2 }]) {
      expect(answers).toContainEqual(expect.objectContaining({ jsonrpc: '2.0', id: answer.id }))
    }
  })

  it('works through npx', async () => {
    const client = new Client({ name: 'test', version: '1' }, current)
    const command = { command: 'npx', args: ['--no-install', 'svc', 'serve', '--transport', 'stdio'], cwd: repository }
    await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_quote')
    await client.close()
  })
})

describe('svc serve --transport http', { timeout }, () => {
  it('keeps the keys it makes where only their owner reads them, and lets their holder in', async () => {
    const settings = { SVC_DATA_DIR: join(directory, 'state'), SVC_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'warn' }
    const server = start(process.execPath, [installedProgram, 'serve', '--transport', 'http'], settings)
    const url = (await server.said(/http:\S+/)).trim()
    const file = join(directory, 'state', '.env')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = /SVC_API_KEY_READ=(\S+)/.exec(readFileSync(file, 'utf8'))?.[1]
    expect((await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' } })).status).toBe(401)
    const client = new Client({ name: 'test', version: '1' }, current)
    const requestInit = { headers: { Authorization: `Bearer ${key}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_quote')
    await client.close()
    process.kill(server.session, 'SIGTERM')
    await goneAfter(server)
    expect(server.printed.stdout).toBe('')
  })
})

describe('what svc up tells a person to paste', { timeout }, () => {
  it('connects a client over HTTP with every tool, and one over stdio with the reads, to the same chain', async () => {
    const world = start(process.execPath, [program, ...upOnAnyPort.filter((flag) => flag !== '--json')])
    await world.said(/Ctrl-C ends all of it/)
    const [http, local] = [...world.printed.stdout.matchAll(/^\{\n.*?^\}$/gms)].map(([text]) => JSON.parse(text))
    const { url, headers } = http.mcpServers.svc as { readonly url: string; readonly headers: Record<string, string> }
    const quote = { name: 'get_quote', arguments: { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: 'local' } }

    const remote = new Client({ name: 'test', version: '1' }, current)
    await remote.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    expect((await remote.listTools()).tools.map(({ name }) => name)).toContain('execute_swap')
    const { structuredContent } = await remote.callTool(quote)

    const client = new Client({ name: 'test', version: '1' }, current)
    await client.connect(new StdioClientTransport({ ...local.mcpServers.svc, stderr: 'ignore' }))
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('execute_swap')
    const amountOut = (structuredContent as { readonly amountOut: string }).amountOut
    expect(await client.callTool(quote)).toMatchObject({ structuredContent: { amountOut } })
    await Promise.all([client.close(), remote.close()])
    process.kill(world.session, 'SIGINT')
    await goneAfter(world)
  })
})
