import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { replacePolicy } from './edit-policy.ts'

let directory = ''
let path = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-policy-'))
  path = join(directory, 'policy.json')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const shaOf = (text: string) => createHash('sha256').update(text).digest('hex')
const modeOf = async (file: string) => (await stat(file)).mode & 0o777

describe('replacing a policy file', () => {
  it('makes it of mode 0600 whatever it was, and keeps what stood there, closed to others as well', async () => {
    await writeFile(path, '{ "version": 1 }', { mode: 0o644 })
    const { backup } = await replacePolicy(path, { version: 1, limitsUsd: {} }, shaOf('{ "version": 1 }'))
    expect(backup).toBe(`${path}.bak`)
    expect(await readFile(path, 'utf8')).toBe('{\n  "version": 1,\n  "limitsUsd": {}\n}\n')
    expect(await readFile(`${path}.bak`, 'utf8')).toBe('{ "version": 1 }')
    expect([await modeOf(path), await modeOf(`${path}.bak`)]).toEqual([0o600, 0o600])
    expect((await readdir(directory)).toSorted()).toEqual(['policy.json', 'policy.json.bak'])
  })

  it('makes one where there is none', async () => {
    expect(await replacePolicy(path, {}, null)).toEqual({ backup: null })
    expect([await modeOf(path), await readdir(directory)]).toEqual([0o600, ['policy.json']])
  })

  it('writes nothing over what somebody else changed meanwhile', async () => {
    await writeFile(path, 'newer')
    await expect(replacePolicy(path, {}, shaOf('older'))).rejects.toThrow('changed by somebody else meanwhile')
    await expect(replacePolicy(path, {}, null)).rejects.toThrow('changed by somebody else meanwhile')
    expect([await readFile(path, 'utf8'), await readdir(directory)]).toEqual(['newer', ['policy.json']])
  })

  it('leaves a link a link', async () => {
    const real = join(directory, 'shared.json')
    await writeFile(real, 'old')
    await symlink(real, path)
    await replacePolicy(path, {}, shaOf('old'))
    expect(await readFile(real, 'utf8')).toBe('{}\n')
    expect((await readdir(directory)).toSorted()).toEqual(['policy.json', 'shared.json', 'shared.json.bak'])
  })
})
