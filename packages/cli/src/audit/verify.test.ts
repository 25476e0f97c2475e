import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { show, verify } from './audit-words.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-audit-'))
  put('server.lock')
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const put = (name: string, text = '') => writeFileSync(join(dataDir, name), text)
const checkpointAfter = (...files: readonly number[]) => {
  const checkpoint = { seq: 9, hash: 'ab'.repeat(32) }
  put('audit-checkpoints.json', JSON.stringify(Object.fromEntries(files.map((index) => [index, checkpoint]))))
}
const verifying = (...words: readonly string[]) => verify([...words, '--data-dir', dataDir])

describe('a log of which files are missing', () => {
  it('is not whole when it is gone altogether, nor when its newest file is', async () => {
    await expect(verifying()).rejects.toThrow(`There is no audit log in ${dataDir}.`)
    await expect(show(['--data-dir', dataDir])).rejects.toThrow(`There is no audit log in ${dataDir}.`)
    put('audit-1.jsonl')
    await expect(verifying()).rejects.toThrow('the newest lines were taken away')
    put('audit.jsonl')
    expect(await verifying()).toBe(0)
  })

  it('says from where it can be verified, when --from names a file that is not there', async () => {
    put('audit.jsonl')
    await expect(verifying('--from', '7')).rejects.toThrow(
      'has no audit-7.jsonl. It can be verified --from 1 (audit.jsonl).',
    )
    for (const index of [1, 2, 3]) put(`audit-${index}.jsonl`)
    checkpointAfter(1, 3)
    const choices = 'It can be verified --from 1 (audit-1.jsonl), --from 2 (audit-2.jsonl), --from 4 (audit.jsonl).'
    await expect(verifying('--from', '5')).rejects.toThrow(`has no audit-5.jsonl. ${choices}`)
    await expect(verifying('--from', '3')).rejects.toThrow(
      `audit-checkpoints.json holds no checkpoint of audit-2.jsonl. ${choices}`,
    )
    expect(await verifying('--from', '4')).toBe(0)
  })

  it('says so without --from too, when the first files were moved away', async () => {
    put('audit.jsonl')
    checkpointAfter(1, 2)
    await expect(verifying()).rejects.toThrow('has no audit-1.jsonl. It can be verified --from 3 (audit.jsonl).')
    expect(await verifying('--from', '3')).toBe(0)
    rmSync(join(dataDir, 'audit-checkpoints.json'))
    put('audit-2.jsonl')
    await expect(verifying('--from', '2')).rejects.toThrow('Put the older files back.')
  })
})
