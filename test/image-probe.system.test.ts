import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const folder = join(import.meta.dirname, '../deploy/tool-server')
const [probe, start] = [join(folder, 'healthy'), join(folder, 'start')]

let server: Server

async function listen(host: string, status = 200): Promise<number> {
  server = createServer(({ url, headers }, response) => {
    response.writeHead(url === '/healthz' && headers.host === 'localhost' ? status : 404).end()
  })
  onTestFinished(() => void server.close())
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function probed(listens: string): Promise<number> {
  return new Promise((resolve) => {
    execFile('/bin/bash', [probe], { env: { SVC_LISTEN: listens } }, (error) => resolve(Number(error?.code ?? 0)))
  })
}

/** Where what the image starts is to listen, for words of its command line. Whoever runs this is no root to it, who would hand /data over. */
function startedOn(words: readonly string[], given: Readonly<Record<string, string>> = {}): string {
  const programs = mkdtempSync(join(tmpdir(), 'svc-start-'))
  writeFileSync(join(programs, 'id'), '#!/bin/bash\necho 1000\n', { mode: 0o755 })
  const env = { ...given, PATH: `${programs}:${process.env['PATH']}` }
  const shown = 'printf %s "${SVC_LISTEN-nowhere}"'
  return execFileSync('/bin/bash', [start, 'sh', '-c', shown, 'server', ...words], {
    env,
    encoding: 'utf8',
    // Where that is a socket, as it is otherwise, bash takes itself for a remote shell and runs what its user has for one.
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test('the image listens beyond loopback where http is served, whichever way that is said, and nowhere else', () => {
  for (const words of [['--transport', 'http'], ['--transport=http'], ['serve', '--transport=http', '--json']])
    expect([words, startedOn(words)]).toEqual([words, '0.0.0.0:3000'])
  for (const words of [[], ['--transport', 'stdio'], ['--transport=stdio'], ['--transport=https'], ['--transporthttp']])
    expect([words, startedOn(words)]).toEqual([words, 'nowhere'])
  expect(startedOn(['--transport=http'], { SVC_LISTEN: '127.0.0.1:1' })).toBe('127.0.0.1:1')
})

test('the probe of the image asks where SVC_LISTEN has the server listen', async () => {
  const port = await listen('127.0.0.1')
  expect(await probed(`127.0.0.1:${port}`)).toBe(0)
  expect(await probed(`0.0.0.0:${port}`)).toBe(0)
  expect(await probed(`localhost:${port}`)).toBe(0)
})

test('the probe of the image fails where the server answers otherwise, or nobody does', async () => {
  const port = await listen('127.0.0.1', 503)
  expect(await probed(`0.0.0.0:${port}`)).toBe(1)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  expect(await probed(`0.0.0.0:${port}`)).toBe(1)
})
