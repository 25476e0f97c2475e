import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { version } from './version.ts'

const folder = mkdtempSync(join(tmpdir(), 'support-api-main-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
