import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPolicyFile } from './read-policy-file.ts'

describe('reading the policy file', () => {
  const inFile = async (text: string) => {
    const path = join(await mkdtemp(join(tmpdir(), 'policy-')), 'policy.json')
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  const refused = expect.objectContaining({ code: 'VALIDATION_FAILED' })

  it('tells what stands in it and its SHA-256', async () => {
    const text = ' {"version":1}\n'
    expect(await readPolicyFile(await inFile(text))).toEqual({
      written: { version: 1 },
      sha256: createHash('sha256').update(text).digest('hex'),
    })
  })

  it('is null where there is no file', async () => {
    expect(await readPolicyFile('/no/such/policy.json')).toBeNull()
  })

  it('refuses a file of another user, unless that is root', async () => {
    const path = await inFile('{}')
    if (process.getuid?.() === 0) await chown(path, 12_345, 12_345)
    const { uid } = await stat(path)
    await expect(readPolicyFile(path, uid + 1)).rejects.toEqual(refused)
    await expect(readPolicyFile(path, uid)).resolves.not.toBeNull()
  })

  it('refuses a file that others may write, a directory and an endless text', async () => {
    const open = await inFile('{}')
    await chmod(open, 0o622)
    await expect(readPolicyFile(open)).rejects.toEqual(refused)
    const directory = join(await mkdtemp(join(tmpdir(), 'policy-')), 'policy.json')
    await mkdir(directory, { mode: 0o700 })
    await expect(readPolicyFile(directory)).rejects.toEqual(refused)
    await expect(readPolicyFile(await inFile(' '.repeat((1 << 20) + 1)))).rejects.toEqual(refused)
  })
})
