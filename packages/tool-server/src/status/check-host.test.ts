import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkHost, type HostFacts, leastMajor, leastMinor } from './check-host.ts'

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-host-'))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const fine: HostFacts = { nodeVersion: '20.20.2', dumpsLeft: () => null, freeBytes: async () => 2 ** 40 }

async function wrong(host: Partial<HostFacts> = {}) {
  const checks = await checkHost(dataDir, 'D', { ...fine, ...host })
  return checks.filter(({ status }) => status !== 'pass').map(({ id, status, fix }) => [id, status, fix])
}

it('finds nothing wrong with a machine on which nothing is, and with this one', async () => {
  expect(await wrong()).toEqual([])
  expect((await checkHost(join(dataDir, 'not', 'there'), 'D')).filter(({ status }) => status === 'fail')).toEqual([])
})

it('takes the oldest Node that the manifest names, and none below', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string }
  }
  expect(manifest.engines.node).toBe(`>=${leastMajor}.${leastMinor}.0`)
  expect(await wrong({ nodeVersion: '20.19.0' })).toEqual([])
  expect(await wrong({ nodeVersion: '24.0.0' })).toEqual([])
  for (const nodeVersion of ['20.18.3', '18.20.0']) {
    expect(await wrong({ nodeVersion })).toEqual([['node-version', 'fail', 'Run: nvm install 20']])
  }
})

it('warns of core dumps, and of a disk that fills before it fails', async () => {
  const dumps = await wrong({ dumpsLeft: () => 'A crash may leave a core dump.' })
  expect(dumps).toEqual([['core-dumps', 'warn', expect.stringContaining('ulimit -c 0')]])
  expect(await wrong({ freeBytes: async () => 200 * 2 ** 20 })).toMatchObject([
    ['disk', 'warn', expect.stringContaining('du -xah D')],
  ])
  expect(await wrong({ freeBytes: async () => 2 ** 20 })).toMatchObject([
    ['disk', 'fail', expect.stringContaining('Run: du -xah D')],
  ])
})

it('fails an environment file that others can read, or that is none', async () => {
  const path = join(dataDir, '.env')
  writeFileSync(path, '', { mode: 0o600 })
  expect(await wrong()).toEqual([])
  chmodSync(path, 0o640)
  expect(await wrong()).toEqual([['env-file', 'fail', 'Run: chmod 600 D/.env']])
  rmSync(path)
  mkdirSync(path)
  expect(await wrong()).toEqual([['env-file', 'fail', 'Run: mv D/.env D/.env.old']])
})
