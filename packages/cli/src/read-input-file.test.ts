import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readInputFile } from './read-input-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'svc-input-'))
const inFolder = (name: string) => join(folder, name)
await mkdir(inFolder('directory'))
await writeFile(inFolder('fine.json'), '{"a":1}')
await writeFile(inFolder('broken.json'), '{\n  "a": 1,\n}')
await writeFile(inFolder('large.json'), ' '.repeat((4 << 20) + 1))

describe('a file named on the command line', () => {
  it('is read as JSON', async () => {
    expect(await readInputFile(inFolder('fine.json'), 'a file')).toEqual({ a: 1 })
  })

  it.each([
    ['missing.json', 'does not exist: name a file of cases.'],
    ['fine.json/below.json', 'does not exist: name a file of cases.'],
    ['directory', 'is a directory: name a file of cases.'],
    ['broken.json', 'is not JSON: line 3, column 1: expected a name in double quotes, found }.'],
    ['large.json', 'has 4194305 bytes; at most 4194304 are read.'],
  ])('as %s is refused in a sentence', async (name, message) => {
    await expect(readInputFile(inFolder(name), 'a file of cases')).rejects.toThrow(`${inFolder(name)} ${message}`)
  })
})
