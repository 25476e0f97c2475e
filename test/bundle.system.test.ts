import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { useDevnet } from '@svc/devnet/testing'
import { catalogue } from '@svc/tool-server'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSink } from '../packages/tool-server/src/traces/sink.fixture.ts'
import { toolSchemas, type ToolSchemas } from '../packages/tool-server/src/dispatch/tool-schemas.ts'

// The production file and its folder are made once and run from directories that hold nothing else.
const devnet = useDevnet({ history: true })
const root = join(import.meta.dirname, '..')
const file = join(mkdtempSync(join(tmpdir(), 'svc-bundle-')), 'svc-server.mjs')
const folder = file.replace('.mjs', '')
const privateKey = `0x${'11'.repeat(32)}`
let directory: string
let child: ChildProcess
let closed: Promise<unknown[]>

beforeAll(() => void execFileSync(process.execPath, [join(root, 'scripts/bundle.mjs'), file]))
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-alone-'))
  execFileSync('cp', ['-r', file, folder, directory])
})
afterEach(() => {
  child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const output = { out: '', err: '' }
  child = spawn(process.execPath, ['svc-server.mjs', ...args], {
    cwd: directory,
    env: { SVC_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'warn', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  closed = once(child, 'close')
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (output.out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (output.err += text))
  return output
}

async function listening(output: { readonly err: string }): Promise<{ url: string; key: string }> {
  await expect.poll(() => output.err).toContain('svc listens on ')
  const url = /svc listens on (\S+)/.exec(output.err)?.[1] ?? ''
  const key = /SVC_API_KEY_WRITE=(\S+)/.exec(readFileSync(join(directory, '.svc/.env'), 'utf8'))?.[1] ?? ''
  return { url, key }
}

async function listTools(server: { url: string; key: string }): Promise<({ name: string } & ToolSchemas)[]> {
  return ((await ask(server, 'tools/list', {})) as { tools: ({ name: string } & ToolSchemas)[] }).tools
}

async function ask({ url, key }: { url: string; key: string }, method: string, params: object): Promise<unknown> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
      ...('uri' in params && { 'mcp-name': String(params.uri) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  return ((await answer.json()) as { result: unknown }).result
}

async function exitCode(): Promise<number | null> {
  // 'close', not 'exit': what it said may still be in the pipe when it ends.
  const [code] = (await closed) as [number | null]
  return code
}

describe('the production file and its folder, alone in a directory', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves reads over HTTP without wallet or key, and ends on %s',
    async (signal) => {
      const output = start(['--transport', 'http'])
      const server = await listening(output)
      const tools = await listTools(server)
      expect(tools.map(({ name }) => name)).toContain('get_quote')
      expect(tools.map(({ name }) => name)).not.toContain('execute_swap')
      for (const { name, inputSchema, outputSchema } of tools) {
        const made = toolSchemas(catalogue.find((tool) => tool.name === name)!)
        expect({ name, inputSchema, outputSchema }).toEqual({ name, ...made })
      }
      expect(readdirSync(directory).toSorted()).toEqual(['.svc', 'svc-server', 'svc-server.mjs'])
      child.kill(signal)
      expect(await exitCode()).toBe(0)
      expect(output.out).toBe('')
    },
  )

  it('reads few files at a start: what is not shared with the threads is one', () => {
    const read = new Set<string>()
    const follow = (path: string) => {
      if (read.has(path)) return
      read.add(path)
      const imports = readFileSync(path, 'utf8').matchAll(/(?:import|from)\s*"(\.[^"]+\.mjs)"/g)
      for (const [, name = ''] of imports) follow(join(dirname(path), name))
    }
    follow(file)
    expect(read.size).toBeLessThanOrEqual(6)
    expect([...read].filter((path) => /\/core-[0-9a-f]{8}\.mjs$/.test(path))).toHaveLength(1)
  })

  it('shows figures and sends spans where that is asked for', async () => {
    const sink = await openSink()
    const env = { SVC_METRICS_LISTEN: '127.0.0.1:0', SVC_TRACES_URL: sink.url }
    const output = start(['--transport', 'http'], env)
    const server = await listening(output)
    await ask(server, 'tools/call', { name: 'search_tokens', arguments: { query: 'USDC' } })
    const page = /figures for Prometheus: (\S+)/.exec(output.err)?.[1] ?? ''
    expect(await (await fetch(page)).text()).toContain(
      'svc_mcp_tool_calls_total{tool="search_tokens",outcome="success",code="none"} 1',
    )
    child.kill('SIGTERM')
    expect(await exitCode()).toBe(0)
    expect(sink.spans().map(({ name }) => name)).toContain('tools/call search_tokens')
    await sink.close()
  })

  it('serves over stdio, and ends with its client even while an endpoint hangs', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const output = start(['--transport', 'stdio'], { SVC_RPC_URL_1: `http://127.0.0.1:${port}` })
    const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    send({ id: 1, method: 'initialize', params })
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/list' })
    await expect.poll(() => output.out).toContain('"id":2')
    const reached = once(silent, 'connection')
    send({ id: 3, method: 'tools/call', params: { name: 'get_gas_price', arguments: { chain: '1' } } })
    await reached
    const asked = performance.now()
    child.stdin?.end()
    expect(await exitCode()).toBe(0)
    // Were the endpoint waited for, it would be for four seconds.
    expect(performance.now() - asked).toBeLessThan(3_500)
    silent.close()
  })

  it('says what a wallet needs beside the file, and opens it there', async () => {
    const alone = start(['--transport', 'http'], { PRIVATE_KEY: privateKey })
    expect(await exitCode()).toBe(1)
    expect(alone.err).toMatch(/svc-server: A wallet keeps its state in SQLite.* npm install libsql@\d/)
    mkdirSync(join(directory, 'node_modules'))
    const native = createRequire(join(root, 'packages/store/package.json')).resolve('libsql')
    symlinkSync(dirname(native), join(directory, 'node_modules/libsql'))
    const server = await listening(start(['--transport', 'http'], { PRIVATE_KEY: privateKey }))
    expect((await listTools(server)).map(({ name }) => name)).toContain('execute_swap')
  })

  it('does not start without its folder, and says so', async () => {
    rmSync(join(directory, 'svc-server'), { recursive: true })
    const output = start(['--transport', 'http'])
    expect(await exitCode()).toBe(1)
    expect(output.err).toContain('svc-server')
  })

  it('draws and computes in its threads alone: the server cannot even load what they run', () => {
    const sources = (entry: string) =>
      reachable(entry)
        .map((path) => readFileSync(path, 'utf8'))
        .join('\n')
    const has = (words: string) => [file, join(folder, 'worker.mjs')].map((entry) => sources(entry).includes(words))
    // The chart library, and what a thread says of a task that was stopped.
    expect([has('renderToSVGString'), has('kind:"stopped"')]).toEqual([
      [false, true],
      [false, true],
    ])
  })

  it('runs simulations and draws in threads, whose program it holds', async () => {
    const chainsFile = join(mkdtempSync(join(tmpdir(), 'svc-chains-')), 'chains.json')
    writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
    const output = start(['--transport', 'http'], {
      SVC_CHAINS_FILE: chainsFile,
      [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
    })
    const place = { token0: 'WETH', token1: 'USDC', chain: String(devnet().chainId), amount: '1000' }
    const server = await listening(output)
    const result = await ask(server, 'tools/call', { name: 'optimize_lp_range', arguments: place })
    expect(result).toMatchObject({ structuredContent: { pair: 'WETH/USDC', simulation: { paths: 5_120 } } })
    const links = (result as { content: { uri: string }[] }).content.slice(1)
    expect(links).toMatchObject([{ name: 'optimize_lp_range.svg' }])
    const uri = links[0]?.uri
    const drawn = await ask(server, 'resources/read', { uri: `${uri}?theme=dark` })
    expect(drawn).toMatchObject({ contents: [{ text: expect.stringMatching(/^<svg.*WETH\/USDC/s) }] })
    child.kill('SIGTERM')
    expect(await exitCode()).toBe(0)
  })

  it.each([[[]], [['--transport', 'ws']], [['--transport', 'http', '--port', '1']], [['stdio']]])(
    'refuses the words %j',
    async (words) => {
      const output = start(words)
      expect(await exitCode()).toBe(2)
      expect(output.err).toContain('--transport stdio or --transport http')
    },
  )
})

/** A file of the bundle and all that it imports, lazily or not. */
function reachable(entry: string, seen: Set<string> = new Set()): string[] {
  if (seen.has(entry)) return []
  seen.add(entry)
  const imports = readFileSync(entry, 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*"(\.[^"]+\.mjs)"/g)
  return [entry, ...[...imports].flatMap(([, path = '']) => reachable(join(dirname(entry), path), seen))]
}
