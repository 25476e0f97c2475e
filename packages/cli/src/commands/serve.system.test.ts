import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { program } from '../processes.fixture.ts'

let dataDir: string
let child: ChildProcess

beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-serve-'))))
afterEach(() => {
  child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

function serve(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { SVC_DATA_DIR: dataDir, SVC_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'warn', ...environment }
  child = spawn(process.execPath, [program, 'serve', ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const output = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (output.out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (output.err += text))
  return output
}

describe('svc serve', () => {
  it('ends with its client over stdio, even while an endpoint hangs', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const output = serve(['--transport', 'stdio'], { SVC_RPC_URL_1: endpoint })
    const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    send({ id: 1, method: 'initialize', params })
    await expect.poll(() => output.out).toContain('"id":1')
    const reached = once(silent, 'connection')
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'get_gas_price', arguments: { chain: '1' } } })
    await reached
    const asked = performance.now()
    child.stdin?.end()
    expect(await once(child, 'exit')).toEqual([0, null])
    // Were the endpoint waited for, it would be for four seconds.
    expect(performance.now() - asked).toBeLessThan(3_500)
    silent.close()
  })

  it('names the setting when its port is taken', async () => {
    const other = createServer(() => {}).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const settings = { SVC_LISTEN: taken, LOG_LEVEL: 'info' }
    const output = serve(['--transport', 'http', '--data-dir', join(dataDir, 'own')], settings)
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output.err).toContain(`svc serve: another program listens on ${taken} (SVC_LISTEN) already.`)
    expect(output.err).not.toContain('server.opened')
    other.close()
  })

  it.each([
    ['lies under a file', fileURLToPath(import.meta.url), 'a part of this path is a file and no directory (ENOTDIR)'],
    ['cannot be made', '/proc', 'the system makes no directory there (ENOENT)'],
  ])('says so where its data directory %s', async (_what, parent, why) => {
    const directory = join(parent, 'own')
    const output = serve(['--transport', 'http', '--data-dir', directory], {})
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output.err).toContain(
      `svc serve: the data directory ${directory} cannot be used: ${why}. Name one that can be with --data-dir or SVC_DATA_DIR.\n`,
    )
  })

  it('names its address, the tools it lists and the file with its keys, and ends on SIGTERM over HTTP', async () => {
    const output = serve(['--transport', 'http'], { LOG_LEVEL: 'info' })
    const said = /^svc listens on (http:\/\/127\.0\.0\.1:\d+\/mcp)\n(\d+) tools \(profile data\); API keys .* in (.+)$/m
    await expect.poll(() => output.err).toMatch(said)
    const [, url = '', tools, file = ''] = said.exec(output.err) ?? []
    const [, read = ''] = /^SVC_API_KEY_READ=(.*)$/m.exec(readFileSync(file, 'utf8')) ?? []
    const client = new Client({ name: 'test', version: '1' })
    const headers = { Authorization: `Bearer ${read}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
    expect((await client.listTools()).tools).toHaveLength(Number(tools))
    await client.close()
    expect(output.err).toContain(`"tools":${tools}`)
    expect(output.err).toMatch(
      /^mode: development; .*\nwallet: none, so nothing is signed\npolicy: defaults\nlimits: 500 USD/m,
    )
    expect(output.err).toMatch(/"mode":"development","wallet":"none","policy":"defaults",.*"event":"server\.opened"/)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.each(['http', 'stdio'])(
    'says over %s that signing is paused, since when, by whom and why, and how to go on',
    async (transport) => {
      const pause = { by: 'operator:ada', at: '2026-01-31T08:00:00.000Z', reason: 'odd transfers' }
      writeFileSync(join(dataDir, 'paused'), JSON.stringify(pause))
      const output = serve(['--transport', transport], { PRIVATE_KEY: `0x${'5a'.repeat(32)}`, SVC_MCP_PROFILE: 'full' })
      await expect
        .poll(() => output.err)
        .toContain(
          `signing: PAUSED since ${pause.at} by ${pause.by}, because "odd transfers". Go on with: svc resume --data-dir ${dataDir}\n`,
        )
    },
  )

  it('says last in its banner that its directory is new, which one beside it may be meant, and at the end what is kept', async () => {
    const known = join(dataDir, 'server')
    mkdirSync(known)
    writeFileSync(join(known, 'state.db'), '')
    const words = ['--transport', 'http', '--data-dir']
    const output = serve([...words, join(dataDir, 'servre')])
    await expect.poll(() => output.err).toMatch(/^NEW DATA/m)
    const lines = output.err.split('\n')
    const last = lines.findIndex((line) => line.startsWith('lost at most '))
    expect(lines[last + 1]).toBe(
      `NEW DATA DIRECTORY: ${join(dataDir, 'servre')} was made just now, with keys and records of its own; no server has run there before. Did you mean ${known}?`,
    )
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(output.err).toMatch(
      /\nStopping\. No write is on its way\.\nStopped\. What the next start goes on with is kept in .*servre\.\n$/,
    )
    const again = serve([...words, join(dataDir, 'servre')])
    await expect.poll(() => again.err).toMatch(/^limits: /m)
    expect(again.err).not.toContain('NEW DATA')
  })

  it.each([
    [
      '{"limitsUsd": {"daily": 5}}',
      'limitsUsd.daily: accepted: decimal US dollars in quotes, such as "500" or "0.25".',
    ],
    [
      '{\n"version": 1,\n}',
      'The policy file is not JSON: line 3, column 1: expected a name in double quotes, found }.',
    ],
    ['{"version": 2, "a": 1}', 'version: accepted: 1, the only version of the format that this server reads.'],
    ['{"a": 1, "b": 2}', '\n  a: there is no such member; accepted here: $schema, version, '],
  ])('refuses to start under %j, and names file, member and mend', async (text, reported) => {
    const path = join(dataDir, 'policy.json')
    writeFileSync(path, text, { mode: 0o600 })
    const output = serve(['--transport', 'http'])
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output.err).toContain(`svc serve: POLICY_INVALID (${path}): ${reported}`)
    expect(output.err).toContain(`See what is left with: svc policy check ${path}\n`)
    expect(output.err).not.toMatch(/^ +at /m)
  })

  it('refuses other transports', async () => {
    const output = serve(['--transport', 'ws'])
    // 'close', not 'exit': what it said may still be in the pipe when it ends.
    expect(await once(child, 'close')).toEqual([2, null])
    expect(output.err).toContain('--transport stdio or --transport http')
  })
})
