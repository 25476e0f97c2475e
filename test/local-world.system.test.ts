import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { localWorld } from '../examples/local-world.mjs'

const registry = `0x${'5a'.repeat(20)}`
const chain: Readonly<Record<string, string>> = { eth_chainId: '0x7a69', eth_getCode: '0x6001' }
const servers: Server[] = []
let own: string

beforeEach(() => {
  own = mkdtempSync(join(tmpdir(), 'svc-worlds-'))
  vi.stubEnv('TMPDIR', own)
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
  rmSync(own, { recursive: true })
})

describe('the world that an example finds', () => {
  test('is the newest of this user whose chain and registry are those it names', async () => {
    const url = await serve(chain)
    const expected = leaveWorld('svc-up-real', url, 10)
    leaveWorld('svc-up-other-chain', await serve({ ...chain, eth_chainId: '0x1' }), 20)
    leaveWorld('svc-up-no-registry', await serve({ ...chain, eth_getCode: '0x' }), 30)
    leaveWorld('svc-up-killed', 'http://127.0.0.1:9', 40)
    writeFileSync(join(leaveWorld('svc-up-damaged', url, 50), 'ready.json'), '{"ready":true')
    expect(await localWorld()).toMatchObject({ folder: expected, rpc: { url } })
  })

  test('is never behind a link', async () => {
    const [folder, file] = [leaveWorld('world', await serve(chain), 10), join(own, 'svc-up-file')]
    symlinkSync(folder, join(own, 'svc-up-folder'))
    mkdirSync(file)
    symlinkSync(join(folder, 'ready.json'), join(file, 'ready.json'))
    await expect(localWorld()).rejects.toThrow(/^No local world runs\..*--world FILE$/)
    renameSync(folder, join(own, 'svc-up-itself'))
    expect(await localWorld()).toMatchObject({ folder: join(own, 'svc-up-itself') })
  })

  test('is not waited for without end, and one that is named says what is wrong with it', async () => {
    const silent = join(leaveWorld('svc-up-silent', await serve(null), 10), 'ready.json')
    await expect(localWorld(undefined, { timeoutMs: 100 })).rejects.toThrow('No local world runs.')
    await expect(localWorld(silent, { timeoutMs: 100 })).rejects.toThrow(/timeout/)
    const other = join(leaveWorld('named', await serve({ ...chain, eth_chainId: '0x1' }), 10), 'ready.json')
    await expect(localWorld(other)).rejects.toThrow(/names chain 31337, and http\S+ is chain 1\.$/)
    const without = join(leaveWorld('bare', await serve({ ...chain, eth_getCode: '0x' }), 10), 'ready.json')
    await expect(localWorld(without)).rejects.toThrow(`names a registry, ${registry}, that the chain does not have.`)
  })
})

/** Answers a method with what stands under its name; `null` answers nothing. */
async function serve(answers: Readonly<Record<string, string>> | null): Promise<string> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += String(part)))
    request.on('end', () => {
      if (answers === null) return
      const method = /"method":"(\w+)"/.exec(text)?.[1] ?? ''
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answers[method] }))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : ''
}

function leaveWorld(name: string, url: string, seconds: number): string {
  const folder = join(own, name)
  mkdirSync(folder)
  const ready = {
    ready: true,
    mcp: { url: `${url}/mcp` },
    rpc: { url, chainId: 31_337 },
    registry: { address: registry },
  }
  writeFileSync(join(folder, 'ready.json'), JSON.stringify(ready))
  utimesSync(join(folder, 'ready.json'), seconds, seconds)
  return folder
}
