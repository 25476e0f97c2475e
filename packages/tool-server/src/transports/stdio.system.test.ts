import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createDispatch } from '../dispatch/dispatch.ts'
import { type Principal, scopes } from '@svc/engine'
import { createLog, createRedactor } from '@svc/runtime'
import type { Ports } from '../ports.ts'
import { callOf, initialize } from '../raw-http.fixture.ts'
import type { Tool } from '../tool.ts'
import type { StatusReport } from '../tool-context.ts'
import { noAsking } from './asking.fixture.ts'
import { holdable } from './holdable.fixture.ts'
import { createNewMcpServer, type NewMcpServer } from './mcp-server.ts'
import { createStdioTransport, localPrincipal } from './stdio.ts'

/** A process as the command starts it, out of the built package; the timer stands for sockets that stay open. */
const program = `
  const { openServer, readConfig } = await import(${JSON.stringify(fileURLToPath(new URL('../../dist/index.js', import.meta.url)))})
  const server = await openServer(readConfig(process.env))
  setInterval(() => {}, 1000)
  await server.serveStdio()
  await server.close()
  process.exit(0)
`
const dataDir = mkdtempSync(join(tmpdir(), 'svc-stdio-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
const command = {
  command: process.execPath,
  args: ['--input-type=module', '-e', program],
  env: { SVC_DATA_DIR: dataDir },
}

const started: ReturnType<typeof spawn>[] = []
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')))

function start() {
  const child = spawn(command.command, command.args, { env: command.env, stdio: ['pipe', 'pipe', 'pipe'] })
  started.push(child)
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => void (output.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (output.err += chunk.toString()))
  const send = (line: string) => child.stdin.write(`${line}\n`)
  return { child, output, send }
}

describe('stdio', () => {
  it('serves clients of both SDK generations and both eras, to which every tool is open', async () => {
    const first = new FirstClient({ name: 't', version: '1' })
    await first.connect(new FirstTransport({ ...command, stderr: 'ignore' }))
    const { tools } = await first.listTools()
    expect(tools.map((tool) => tool.name)).toContain('search_tokens')
    expect(await first.callTool({ name: 'search_tokens', arguments: { query: 'USDC' } })).not.toHaveProperty('isError')
    await first.close()
    for (const options of [{}, { versionNegotiation: { mode: 'auto' as const } }]) {
      const client = new Client({ name: 't', version: '1' }, options)
      await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }))
      expect((await client.listTools()).tools).toHaveLength(tools.length)
      await client.close()
    }
  })

  it('writes nothing but JSON-RPC to stdout and ends with its stdin', async () => {
    const { child, output, send } = start()
    send(initialize())
    send('this is no JSON')
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'nothing', arguments: {} } }))
    await expect.poll(() => output.out.split('\n').length).toBe(4)
    child.stdin.end()
    // 'close', not 'exit': what it said last may still be in the pipe when it ends.
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(0)
    const messages = output.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(messages).toHaveLength(3)
    expect(messages).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 0, result: expect.objectContaining({ protocolVersion: '2025-11-25' }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
        expect.objectContaining({ id: 2, result: expect.objectContaining({ isError: true }) }),
      ]),
    )
    expect(output.err).toContain('"tool.call"')
  })

  it('refuses a second request with an id in flight and answers the first', async () => {
    const [tool, held] = holdable()
    const { send, received, end } = openStdio(tool)
    send(initialize())
    await expect.poll(() => received.length).toBe(1)
    send(callOf('get_slow', { ms: 1 }, 5))
    await held.entered
    send(callOf('get_slow', { ms: 2 }, 5))
    await expect.poll(() => received.length).toBe(2)
    held.release()
    await expect.poll(() => received.length).toBe(3)
    expect(received.slice(1)).toMatchObject([
      { id: 5, error: { code: -32600 } },
      { id: 5, result: { structuredContent: { waitedMs: 1 } } },
    ])
    send(callOf('get_slow', { ms: 0 }, 5))
    await expect.poll(() => received.at(-1)).toMatchObject({ id: 5, result: { structuredContent: { waitedMs: 0 } } })
    await end()
  })

  it('says in words which scope is lacking, to whom that may happen: whoever starts the process has them all', async () => {
    const [tool, held] = holdable()
    held.release()
    const caller: Principal = { id: 'oauth:1', stage: 'oauth', tier: null, scopes: new Set(), expiresAt: null }
    const { send, received, end } = openStdio(tool, () => caller)
    send(initialize())
    await expect.poll(() => received.length).toBe(1)
    send(callOf('get_slow', { ms: 0 }, 5))
    await expect.poll(() => received.length).toBe(2)
    const message = 'This token may not call get_slow: it lacks the scope read:market.'
    const error = { code: 'INSUFFICIENT_KEY_TIER', message, details: [{ tier: 'read', scope: 'read:market' }] }
    expect(received[1]).toMatchObject({ id: 5, result: { isError: true, _meta: { 'svc/error': error } } })
    await end()
    expect(scopes.filter((scope) => !localPrincipal.scopes.has(scope))).toEqual([])
  })

  it('refuses lines that are no JSON or nested deeper than 32 levels, wherever they are broken, and goes on', async () => {
    const [tool, held] = holdable()
    held.release()
    const { send, received, input, end } = openStdio(tool)
    const nested = (levels: number) => callOf('get_slow', JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`), 8)
    send(initialize())
    await expect.poll(() => received.length).toBe(1)
    for (const line of [nested(31), '['.repeat(100_000), '{"jsonrpc":', '', '  \r']) send(line)
    send(nested(30))
    const whole = callOf('get_slow', { ms: 3 }, 9)
    input.write(`nonsense\n${whole.slice(0, 20)}`)
    input.write(`${whole.slice(20)}\r\n`)
    await expect.poll(() => received.length).toBe(7)
    expect(received.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
      -32600, -32600, -32700, -32700,
    ])
    // Thirty levels of arguments inside the two of the message reach the protocol, which wants an object there.
    expect(received.find(({ id }) => id === 8)?.error?.code).not.toBe(-32600)
    expect(received.find(({ id }) => id === 9)).toMatchObject({ result: { structuredContent: { waitedMs: 3 } } })
    await end()
  })

  it('ends too when its client dies in the middle of a line', async () => {
    const { child, send } = start()
    send(initialize())
    await once(child.stdout, 'data')
    child.stdin.write('{"jsonrpc":"2.0","id":')
    child.stdin.destroy()
    child.stdout.destroy()
    expect(((await once(child, 'exit')) as [number | null])[0]).toBe(0)
  })
})

/** The transport over two streams of this process; for another caller than the local one where it is told so. */
function openStdio(tool: Tool, caller?: () => Principal) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const log = createLog({ level: 'silent', redactor: createRedactor(), destination: { write: () => {} } })
  const dispatch = createDispatch({
    tools: [tool],
    profile: 'full',
    ports: {} as Ports,
    status: {} as StatusReport,
    write: null,
    isInForce: () => true,
    log,
    now: Date.now,
    newRequestId: () => 'r',
  })
  const info = { name: 'x', version: '1' }
  const servers = createNewMcpServer({ dispatch, info, instructions: '', testing: null, ...noAsking })
  const newMcpServer: NewMcpServer = (local, ...rest) => servers(caller ?? local, ...rest)
  const stdio = createStdioTransport({ newMcpServer, input, output, log })
  const received: { id: unknown; error?: { code: number } }[] = []
  output.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trimEnd().split('\n'))
      received.push(JSON.parse(line) as (typeof received)[number])
  })
  const send = (line: string) => input.write(`${line}\n`)
  const end = async () => {
    input.end()
    await stdio.ended
    await stdio.close()
  }
  return { input, send, received, end }
}
