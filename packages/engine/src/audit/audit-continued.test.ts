import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openAuditLog } from './audit.ts'
import { verifyAuditLog } from './read-audit-log.ts'

let folders: string[]
beforeEach(async () => {
  folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'audit-'))))
})
afterEach(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
})

type Head = NonNullable<ReturnType<Awaited<ReturnType<typeof openAuditLog>>['head']>>

/** Writes lines in a folder, from where the chain stands, and gives where it stands then. */
async function write(folder: string, lines: number, continues?: Head & { readonly isOwn: boolean }): Promise<Head> {
  const log = await openAuditLog({
    path: join(folder, 'audit.jsonl'),
    now: () => 0,
    ...(continues !== undefined && { continues }),
  })
  for (let line = 0; line < lines; line += 1) await log.append({ event: 'tool.called', line })
  await log.close()
  return log.head()!
}

test('goes on in another directory at the line where the chain stands, and back again, each sound by itself', async () => {
  const [a = '', b = ''] = folders
  const first = await write(a, 3)
  expect(first.seq).toBe(3)
  const second = await write(b, 2, { ...first, isOwn: false })
  expect(second.seq).toBe(6)
  expect(await verifyAuditLog(b)).toMatchObject({ lines: 3, continued: 1, broken: null, last: { seq: 6 } })
  const third = await write(a, 1, { ...second, isOwn: false })
  expect(third.seq).toBe(8)
  expect(await readdir(a)).toContain('audit-1.jsonl')
  expect(await verifyAuditLog(a)).toMatchObject({ lines: 5, continued: 1, broken: null, last: third })
})

test('lines of its own behind the end that was kept are the chain’s; those of a directory that lost some are not', async () => {
  const [a = '', b = ''] = folders
  const kept = await write(a, 2)
  const more = await write(a, 2)
  expect(await write(a, 1, { ...kept, isOwn: true })).toMatchObject({ seq: 5 })
  expect(await verifyAuditLog(a)).toMatchObject({ lines: 5, continued: 0, broken: null })
  // The directory of a container that is gone, under the same name.
  expect(await write(b, 1, { ...more, isOwn: true })).toMatchObject({ seq: 6 })
})

test('a line that says so in the middle of a file does not hide lines that were taken out', async () => {
  const [a = ''] = folders
  await write(a, 2)
  const log = await openAuditLog({ path: join(a, 'audit.jsonl'), now: () => 0 })
  await log.append({ event: 'audit.continued' })
  await log.close()
  const path = join(a, 'audit.jsonl')
  const [one, , last] = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, `${one}\n${last}\n`)
  expect((await verifyAuditLog(a)).broken?.how).toContain('lines were taken out')
})
