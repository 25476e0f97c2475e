import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@svc/tool-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { clients } from '../setup/clients.ts'

let parent: string
let dataDir: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-setup-'))
  dataDir = join(parent, 'data')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const svc = (...words: readonly string[]) => callCommand(['setup', ...words, '--data-dir', dataDir])
const envFile = () => readFileSync(join(dataDir, '.env'), 'utf8')
const modeOf = (name: string) => statSync(join(dataDir, name)).mode & 0o777

describe('svc setup --zero', () => {
  it('makes a directory whose server reads, with a local key and three API keys that nobody sees', async () => {
    const { code, stdout, stderr } = await svc('--zero')
    expect([code, stderr]).toEqual([0, ''])
    const config = readConfig({ SVC_DATA_DIR: dataDir })
    expect(config).toMatchObject({ profile: 'data', wallet: { type: 'local' }, warnings: [], production: false })
    for (const tier of ['read', 'feedback', 'write'] as const) expect(config.auth.apiKeys[tier]).not.toBeNull()
    expect([modeOf('.'), modeOf('.env')]).toEqual([0o700, 0o600])
    expect(existsSync(join(dataDir, '.env.bak'))).toBe(false)
    expect(stdout).toMatch(/wallet {4}0x[0-9a-fA-F]{40}, a local key/)
    expect(stdout).toContain('svc setup production')
    for (const [, value = ''] of envFile().matchAll(/^(?:PRIVATE_KEY|SVC_API_KEY_\w+)=(.*)$/gm)) {
      expect(value.length).toBeGreaterThan(40)
      expect(stdout).not.toContain(value)
    }
  })

  it('changes nothing the second time', async () => {
    await svc('--zero')
    const before = envFile()
    const { stdout } = await svc('--zero', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ changed: [], backup: null, profile: 'data' })
    expect(envFile()).toBe(before)
    expect(existsSync(join(dataDir, '.env.bak'))).toBe(false)
  })

  it('keeps what stands there, and the former file beside it', async () => {
    await svc('--zero')
    const own = `# mine\nSVC_API_KEY_READ=svc_read_${'k'.repeat(43)}\nLOG_LEVEL=warn\n`
    writeFileSync(join(dataDir, '.env'), own, { mode: 0o600 })
    await svc('--zero')
    expect(envFile().startsWith(own)).toBe(true)
    expect(envFile()).toMatch(/^PRIVATE_KEY=0x/m)
    expect([readFileSync(join(dataDir, '.env.bak'), 'utf8'), modeOf('.env.bak')]).toEqual([own, 0o600])
  })

  it('makes no local key beside a managed wallet, and none in production', async () => {
    await svc('--zero')
    writeFileSync(join(dataDir, '.env'), 'WALLET_ID=w\n', { mode: 0o600 })
    await svc('--zero')
    expect(envFile()).not.toContain('PRIVATE_KEY')
    writeFileSync(join(dataDir, '.env'), 'NODE_ENV=production\n', { mode: 0o600 })
    expect(await svc('--zero')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('svc setup production'),
    })
    expect(envFile()).toBe('NODE_ENV=production\n')
  })

  it('refuses the directory of a local world, an open environment file, and words that are off', async () => {
    await svc('--zero')
    writeFileSync(join(dataDir, 'local-world.json'), `{"privateKey":"0x${'5a'.repeat(32)}"}`)
    expect((await svc('--zero')).stderr).toContain('local world')
    rmSync(join(dataDir, 'local-world.json'))
    writeFileSync(join(dataDir, '.env'), '')
    rmSync(join(dataDir, '.env'))
    writeFileSync(join(dataDir, '.env'), '', { mode: 0o644 })
    expect((await svc('--zero')).stderr).toContain('chmod 600')
    expect(await svc('--client', 'cursor')).toMatchObject({ code: 2 })
    expect(await svc('--zero', '--client', 'emacs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('claude-code'),
    })
  })
})

describe('svc setup client', () => {
  it.each(Object.keys(clients))('prints what %s takes, and no key', async (name) => {
    const local = await svc('client', name)
    expect([local.code, local.stdout]).toEqual([0, expect.stringContaining('"--transport"')])
    expect(local.stdout).toContain(dataDir)
    const { stdout } = await svc('client', name, '--url', 'https://mcp.example.com/mcp')
    expect(stdout).toContain('"https://mcp.example.com/mcp"')
    expect(stdout).not.toMatch(/svc_(read|write)/)
    const begins = name === 'codex' ? /^\[mcp_servers\.svc\]\n/ : /^\{\n {2}"(mcpServers|servers)": \{/
    for (const text of [local.stdout, stdout]) expect(text).toMatch(begins)
  })

  it('names the clients it knows', async () => {
    expect(Object.keys(clients)).toHaveLength(8)
    expect(await svc('client')).toMatchObject({ code: 2, stderr: expect.stringContaining('gemini-cli') })
  })
})
