import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openAuditLog } from './audit.ts'
import { verifyAuditLog } from './verify-audit-log.ts'

let path: string
const now = () => Date.UTC(2026, 0, 1)

beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'audit-')), 'audit.jsonl')
})

describe('the audit log', () => {
  it('chains lines across appends, restarts and concurrent writers, in a file only its owner may read', async () => {
    const first = await openAuditLog({ path, now })
    await Promise.all(Array.from({ length: 20 }, (_, index) => first.append({ event: 'tx.intent', index, wei: 5n })))
    await first.close()
    const second = await openAuditLog({ path, now })
    await second.append({ event: 'tx.confirmed' })
    await second.close()
    expect(await verifyAuditLog(path)).toEqual({ lines: 21, brokenAt: null })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(path, 'utf8')).trim().split('\n')
    expect(JSON.parse(lines[3]!)).toMatchObject({ v: 1, seq: 4, event: 'tx.intent', index: 3, wei: '5' })
  })

  it.each([
    ['a changed byte', (text: string) => text.replace('"index":1', '"index":7'), 2],
    ['a line taken out', (text: string) => text.split('\n').toSpliced(1, 1).join('\n'), 2],
    ['two lines swapped', (text: string) => text.split('\n').toSorted().toReversed().join('\n'), 1],
    ['a line that is not ours', (text: string) => `${text}{}\n`, 4],
  ])('shows %s', async (_what, forge, brokenAt) => {
    const log = await openAuditLog({ path, now })
    for (const index of [0, 1, 2]) await log.append({ event: 'tx.intent', index })
    await log.close()
    await writeFile(path, forge(await readFile(path, 'utf8')))
    expect(await verifyAuditLog(path)).toMatchObject({ brokenAt })
  })

  it('cuts off a line torn by a crash and says so', async () => {
    const log = await openAuditLog({ path, now })
    await log.append({ event: 'tx.intent' })
    await log.append({ event: 'tx.signed' })
    await log.close()
    const { size } = await stat(path)
    await truncate(path, size - 10)
    const reopened = await openAuditLog({ path, now })
    await reopened.close()
    expect(await verifyAuditLog(path)).toEqual({ lines: 2, brokenAt: null })
    const last = (await readFile(path, 'utf8')).trim().split('\n').at(-1)
    expect(JSON.parse(last!)).toMatchObject({ seq: 2, event: 'audit.recovered' })
  })

  it('goes on from a log that holds nothing but a torn line', async () => {
    await writeFile(path, '{"v":1,"seq":1')
    const log = await openAuditLog({ path, now })
    await log.append({ event: 'tx.intent' })
    await log.close()
    expect(await verifyAuditLog(path)).toEqual({ lines: 2, brokenAt: null })
  })

  it('rejects an append to a file that was deleted', async () => {
    const log = await openAuditLog({ path, now })
    await log.append({ event: 'tx.intent' })
    await rm(path)
    await expect(log.append({ event: 'tx.intent' })).rejects.toThrow('deleted')
    await log.close()
  })

  it('rejects an append it could not write, and takes the next one', async () => {
    const log = await openAuditLog({ path, now })
    const loop: { event: string; self?: unknown } = { event: 'tx.intent' }
    loop.self = loop
    await expect(log.append(loop)).rejects.toThrow('circular')
    await log.append({ event: 'tx.intent' })
    await log.close()
    expect(await verifyAuditLog(path)).toEqual({ lines: 1, brokenAt: null })
    await expect(log.append({ event: 'tx.intent' })).rejects.toThrow('closed')
  })
})
