import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAuditLog } from './audit.ts'
import { copyAuditLog } from './audit-files.ts'
import { verifyAuditLog } from './read-audit-log.ts'

const now = () => Date.UTC(2026, 0, 1)

async function newFolders() {
  const root = await mkdtemp(join(tmpdir(), 'audit-'))
  const [source, copy] = [join(root, 'source'), join(root, 'copy')]
  await Promise.all([mkdir(source), mkdir(copy)])
  return { source, copy, path: join(source, 'audit.jsonl'), another: () => mkdtemp(join(root, 'copy-')) }
}

test('a log that grows and begins new files meanwhile is copied whole, up to some line, each time', async () => {
  const { source, path, another } = await newFolders()
  const log = await openAuditLog({ path, now, maxBytes: 6_000 })
  const writing = { goesOn: true, lines: 0 }
  const writer = (async () => {
    while (writing.goesOn) await log.append({ event: 'tx.intent', index: (writing.lines += 1) })
  })()
  let last = 0
  for (let round = 0; round < 12; round += 1) {
    const least = writing.lines
    const copy = await another()
    await copyAuditLog(source, copy)
    const verdict = await verifyAuditLog(copy)
    expect(verdict).toMatchObject({ broken: null, isUnfinished: false })
    last = verdict.last?.seq ?? 0
    // One may be on its way to the disk.
    expect(last).toBeGreaterThanOrEqual(least - 1)
  }
  writing.goesOn = false
  await writer
  await log.close()
  expect(last).toBeGreaterThan(0)
})

test('the copy is one that the log can go on from, without a torn line; of no log there is none', async () => {
  const { source, copy, path } = await newFolders()
  expect(await copyAuditLog(source, copy)).toEqual([])
  const log = await openAuditLog({ path, now, maxBytes: 400 })
  for (const index of [1, 2, 3, 4, 5]) await log.append({ event: 'tx.intent', index })
  await log.close()
  await writeFile(path, `${await readFile(path, 'utf8')}{"v":1,"se`)
  const names = await copyAuditLog(source, copy)
  expect(names).toEqual(expect.arrayContaining(['audit-1.jsonl', 'audit-2.jsonl', 'audit-checkpoints.json']))
  expect(names.at(-1)).toBe('audit.jsonl')
  const again = await openAuditLog({ path: join(copy, 'audit.jsonl'), now })
  await again.append({ event: 'tx.confirmed' })
  await again.close()
  const [of, before] = await Promise.all([verifyAuditLog(copy), verifyAuditLog(source)])
  expect([of.broken, of.last?.seq]).toEqual([null, (before.last?.seq ?? 0) + 1])
})
