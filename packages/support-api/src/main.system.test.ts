import { startIdentityProvider } from '@svc/devnet/identity-provider'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { testCard } from './test-api.fixture.ts'
import { version } from './version.ts'

const folder = mkdtempSync(join(tmpdir(), 'support-api-main-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pinBody = JSON.stringify({ agentCard: testCard() })
const bin = join(import.meta.dirname, '../bin/svc-support-api.js')
const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const settings = { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'state'), LOG_LEVEL: 'silent' }
    const whole = { ...settings, SVC_IDENTITY_PROVIDER_URL: 'http://127.0.0.1:1', ...env }
    execFile(process.execPath, [bin, ...words], { env: whole, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    )
  })

it('says what it is and how it is called', async () => {
  const [named, help, off, noId] = await Promise.all([
    run(['--version']),
    run(['--help']),
    run(['serve']),
    run(['retry-claim', '7']),
  ])
  expect(named).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('svc-support-api retry-claim ID')
  expect(off).toMatchObject({ code: 2, stdout: '' })
  expect(noId.code).toBe(2)
  expect(noId.stderr).toContain('not the id of a claim')
  expect(off.stderr).toContain(help.stdout.trim())
})

it('what keeps it from starting is told with a code, the setting and a mend, and no value', async () => {
  const pgUrl = 'postgres://svc:canary@127.0.0.1:1/svc'
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ SVC_DATA_DIR: '/proc/canary/below' }, /^DATA_DIR_INVALID \(SVC_DATA_DIR\): .*ENOENT.* Name one/],
    [{ SVC_DATABASE_URL: pgUrl }, /^STORE_UNAVAILABLE \(SVC_DATABASE_URL\): .*ECONNREFUSED.* Check that it runs/],
    [{ SVC_LISTEN: `127.0.0.1:${port}` }, /^LISTEN_FAILED \(SVC_LISTEN\): Another program .*EADDRINUSE.* Choose/],
  ]
  const ended = await Promise.all(cases.map(async ([env, words]) => [await run([], env), words] as const))
  for (const [{ code, stderr }, words] of ended) {
    expect(stderr.replace(/^svc-support-api: /, '')).toMatch(words)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).not.toContain('canary')
    expect(code).toBe(1)
  }
  taken.close()
})

it('a signal lets what is under way end, and a second one does not wait for it', async () => {
  const provider = await startIdentityProvider({ appIds: [] })
  provider.setFaults([{ fault: { kind: 'stall' } }])
  const env = { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'signalled'), SVC_LISTEN: '127.0.0.1:0' }
  const settled = { LOG_LEVEL: 'silent', SVC_GATEWAY_URL: 'https://gateway.example' }
  const child = spawn(process.execPath, [bin], {
    env: { ...env, ...settled, SVC_IDENTITY_PROVIDER_URL: provider.url },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  await expect.poll(() => said).toContain('listens on ')
  const url = /http:\S+/.exec(said)?.[0] ?? ''
  const headers = { authorization: 'Bearer app-one', 'content-type': 'application/json' }
  const held = fetch(`${url}/v1/ipfs/pin`, { method: 'POST', headers, body: pinBody }).catch(() => 'cut off')
  await expect.poll(() => provider.asked()).toHaveLength(1)
  child.kill('SIGTERM')
  await expect.poll(() => fetch(`${url}/healthz`).catch(() => 'closed')).toBe('closed')
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect(await ended).toBe(130)
  expect(await held).toBe('cut off')
  await provider.stop()
})
