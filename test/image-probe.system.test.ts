import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const probe = join(import.meta.dirname, '../deploy/tool-server/healthy')

let server: Server
afterEach(() => server.close())

async function listen(host: string, status = 200): Promise<number> {
  server = createServer(({ url, headers }, response) => {
    response.writeHead(url === '/healthz' && headers.host === 'localhost' ? status : 404).end()
  })
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function probed(listens: string): Promise<number> {
  return new Promise((resolve) => {
    execFile('/bin/bash', [probe], { env: { SVC_LISTEN: listens } }, (error) => resolve(Number(error?.code ?? 0)))
  })
}

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
