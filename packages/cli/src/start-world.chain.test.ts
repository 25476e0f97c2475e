import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startWorld } from './start-world.ts'

it('comes up on other ports where other programs take the usual ones after it has found them free', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-world-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'local-world.json'), `{"privateKey":"0x${'5a'.repeat(32)}"}`)
  // That this is cleared is said between the choice of the ports and the first program that listens.
  writeFileSync(join(dataDir, 'breaker.json'), '{}')
  const onProgress = (line: string) => {
    if (line.includes("The last run's chain is gone")) for (const port of [3_000, 8_545, 8_080]) take(port)
  }
  const ports = { rpcPort: undefined, mcpPort: undefined, apiPort: undefined }
  const world = await startWorld({ ...ports, chainId: 31_337, dataDir, logLevel: 'fatal', onProgress })
  onTestFinished(() => world.stop())
  expect(world.takenPorts).toEqual({ mcp: 3_000, rpc: 8_545, api: 8_080 })
  const { mcp, rpc, api } = world.ready
  const answers = await Promise.all([mcp, rpc, api].map(({ url }) => fetch(url).then(({ status }) => status)))
  expect(answers).toEqual([401, expect.any(Number), 200])
})

/** Where another program of this machine has it already, it does as well. */
function take(port: number): void {
  const server = createServer().listen(port, '127.0.0.1')
  const listens = once(server, 'listening').catch(() => {})
  onTestFinished(async () => {
    await listens
    server.close()
  })
}
