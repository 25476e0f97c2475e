import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
let folder: string
const started: Started[] = []
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-process-'))))
afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGKILL')
    await exited
  }
  rmSync(folder, { recursive: true, force: true })
})

const listens = /^svc listens on (http:\/\/127\.0\.0\.1:\d+\/mcp)$/m
const settings = (more: Readonly<Record<string, string>> = {}) => ({
  SVC_DATA_DIR: join(folder, 'data'),
  SVC_LISTEN: '127.0.0.1:0',
  LOG_LEVEL: 'warn',
  ...more,
})
const signing = () => settings({ SVC_MCP_PROFILE: 'full', PRIVATE_KEY: generatePrivateKey() })

/** A server from a shell that would let any process of its leave a core dump, in a directory of its own. */
function serve(env: Readonly<Record<string, string>>): Started {
  return underShell('exec "$0" "$1" --transport http', [process.execPath, program], env)
}

function underShell(command: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const cwd = join(folder, `cwd-${started.length}`)
  mkdirSync(cwd)
  const child = spawn('/bin/sh', ['-c', `ulimit -c unlimited; ${command}`, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const printed = { stderr: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (printed.stderr += text))
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  )
  const said = async (pattern: RegExp) => {
    await expect.poll(() => printed.stderr).toMatch(pattern)
    return pattern.exec(printed.stderr)?.[0] ?? ''
  }
  const begun: Started = { child, printed, exited, said }
  started.push(begun)
  return begun
}

type Started = {
  readonly child: ChildProcess
  readonly printed: { readonly stderr: string }
  /** Exit code or signal. */
  readonly exited: Promise<number | NodeJS.Signals | null>
  /** Waits for a text on stderr. */
  said(pattern: RegExp): Promise<string>
}

describe('core dumps', () => {
  const pattern = process.platform === 'linux' ? readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim() : ''
  const filesIn = (index: number) => readdirSync(join(folder, `cwd-${index}`))

  it.each(['SIGABRT', 'SIGQUIT', 'SIGSEGV'] as const)('are left by no server that ends by %s', async (signal) => {
    const server = serve(settings())
    await server.said(listens)
    const limits = readFileSync(`/proc/${server.child.pid}/limits`, 'utf8')
    expect(limits).toMatch(/^Max core file size +1 +1 /m)
    expect(readFileSync(`/proc/${server.child.pid}/coredump_filter`, 'utf8').trim()).toBe('00000000')
    expect(server.printed.stderr).not.toContain('core dumps')
    server.child.kill(signal)
    expect(await server.exited).toBe(signal)
    expect(filesIn(0)).toEqual([])
  })

  // Where dumps go to a program or to another directory, there is no file to look for.
  it.runIf(/^[^|/]+$/.test(pattern))('are left by another program that is started like that', async () => {
    const other = underShell(`exec "$0" -e "process.kill(process.pid, 'SIGABRT')"`, [process.execPath])
    expect(await other.exited).toBe('SIGABRT')
    expect(filesIn(0)).toHaveLength(1)
  })

  it('may be left where prlimit is missing, without memory, and the start says so', async () => {
    const server = serve(settings({ PATH: '/nowhere' }))
    await server.said(listens)
    expect(await server.said(/^core dumps: .*ulimit -c 0/m)).toContain('prlimit')
    const key = /^SVC_API_KEY_READ=(.*)$/m.exec(readFileSync(join(folder, 'data', '.env'), 'utf8'))?.[1] ?? ''
    server.child.kill('SIGABRT')
    expect(await server.exited).toBe('SIGABRT')
    for (const name of filesIn(0)) expect(readFileSync(join(folder, 'cwd-0', name)).includes(key)).toBe(false)
  })
})

describe('a data directory', () => {
  it('is held by one of two servers that are started at once, and free as soon as that is killed', async () => {
    const both = [serve(signing()), serve(signing())]
    const refused = await Promise.race(both.map((server) => server.exited.then(() => server)))
    expect(await refused.exited).toBe(1)
    expect(refused.printed.stderr).toContain(
      `Another server runs on ${join(folder, 'data')}. Stop it, or choose another data directory.`,
    )
    const holder = both.find((server) => server !== refused)
    await holder?.said(listens)
    holder?.child.kill('SIGKILL')
    expect(await holder?.exited).toBe('SIGKILL')
    await serve(signing()).said(listens)
  })
})

describe('SIGTERM', () => {
  it('ends a server with a call, a stream and a WebSocket open in good order', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const server = serve(settings({ SVC_WEBSOCKET: 'on', SVC_RPC_URL_1: endpoint }))
    const [, url = ''] = listens.exec(await server.said(listens)) ?? []
    const [, key = ''] = /^SVC_API_KEY_READ=(.*)$/m.exec(readFileSync(join(folder, 'data', '.env'), 'utf8')) ?? []
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const post = (message: object, more: Readonly<Record<string, string>> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const opened = await post({ method: 'initialize', params })
    await opened.text()
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const stream = await fetch(url, { headers: { ...headers, ...session } })
    const socket = new WebSocket(url.replace('http', 'ws'), ['mcp'], { headers: { authorization: `Bearer ${key}` } })
    await once(socket, 'open')
    const reached = once(silent, 'connection')
    const call = { method: 'tools/call', params: { name: 'get_gas_price', arguments: { chain: '1' } } }
    const answered = post(call, session)
    await reached
    const closed = once(socket, 'close')
    server.child.kill('SIGTERM')
    expect(await (await answered).json()).toMatchObject({ result: { isError: true } })
    expect(await stream.text()).toBe('')
    expect((await closed)[0]).toBe(1001)
    expect(await server.exited).toBe(0)
    silent.close()
  })
})
