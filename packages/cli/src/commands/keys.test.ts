import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provisionKeys, readConfig } from '@svc/tool-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-keys-'))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const svc = (words: readonly string[], environment?: Readonly<Record<string, string>>) =>
  callCommand(['keys', ...words, '--data-dir', dataDir], environment)

const provisioned = () => {
  let next = 1
  const keys = provisionKeys(readConfig({ SVC_DATA_DIR: dataDir }), (size) => new Uint8Array(size).fill(next++))
  return { read: keys.read.reveal(), feedback: keys.feedback.reveal(), write: keys.write.reveal() }
}

describe('svc keys', () => {
  it('names the file and each key by the caller it makes, and never a key', async () => {
    const secrets = provisioned()
    for (const words of [[], ['list'], ['--json']]) {
      const { code, stdout, stderr } = await svc(words)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(join(dataDir, '.env'))
      for (const name of ['read', 'feedback', 'write']) expect(stdout).toContain(`SVC_API_KEY_${name.toUpperCase()}`)
      expect(stdout.match(/api-key:[0-9a-f]{16}/g)).toHaveLength(3)
      for (const key of Object.values(secrets)) expect(stdout).not.toContain(key)
    }
  })

  it('show prints the one that is asked for, the environment before the file', async () => {
    const { write } = provisioned()
    expect(await svc(['show', 'write'])).toEqual({ code: 0, stdout: `${write}\n`, stderr: '' })
    const own = { SVC_API_KEY_WRITE: `svc_write_${'k'.repeat(43)}` }
    expect((await svc(['show', 'write'], own)).stdout).toBe(`${own.SVC_API_KEY_WRITE}\n`)
    const listed = (await svc([], own)).stdout
    expect(listed).toMatch(/^write .* the environment$/m)
    expect(listed).toMatch(/^read .* the file$/m)
  })

  it('refuses what it does not know, a place without keys, and a file that others can read', async () => {
    expect(await svc(['show', 'wirte'])).toMatchObject({ code: 2, stderr: expect.stringContaining('read, feedback') })
    expect(await svc(['shw'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean show?') })
    expect(await svc([])).toMatchObject({ code: 1, stderr: expect.stringContaining('There are no API keys in') })
    writeFileSync(join(dataDir, '.env'), 'SVC_API_KEY_READ=x\n', { mode: 0o644 })
    expect(await svc([])).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('chmod 600') })
  })
})
