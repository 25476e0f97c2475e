import { mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openAuditLog } from './audit.ts'
import { verifyAuditLog } from './read-audit-log.ts'

let folder: string
let path: string
const now = () => Date.UTC(2026, 0, 1)
const open = (options: { maxBytes?: number } = {}) => openAuditLog({ path, now, ...options })
const verify = (options: { from?: number } = {}) => verifyAuditLog(folder, options)
const linesOf = async (name = 'audit.jsonl') =>
  (await readFile(join(folder, name), 'utf8'))
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
  path = join(folder, 'audit.jsonl')
})

describe('the audit log', () => {
  it('chains lines across appends, restarts and concurrent writers, in a file only its owner may read', async () => {
    const first = await open()
    await Promise.all(Array.from({ length: 20 }, (_, index) => first.append({ event: 'tx.intent', index, wei: 5n })))
    await first.close()
    const second = await open()
    await second.append({ event: 'tx.confirmed' })
    await second.close()
    expect(await verify()).toMatchObject({ lines: 21, broken: null, isUnfinished: false, last: { seq: 21 } })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await linesOf())[3]).toMatchObject({ v: 1, seq: 4, event: 'tx.intent', index: 3, wei: '5' })
  })

  it.each([
    ['a changed byte', (text: string) => text.replace('"index":1', '"index":7'), 2, 'was changed'],
    ['a line taken out', (text: string) => text.split('\n').toSpliced(1, 1).join('\n'), 2, 'where 2 was due'],
    ['the first line taken out', (text: string) => text.split('\n').toSpliced(0, 1).join('\n'), 1, 'older files'],
    ['two lines swapped', (text: string) => text.split('\n').toSorted().toReversed().join('\n'), 1, 'is number 3'],
    ['a line that is not ours', (text: string) => `${text}{}\n`, 4, 'not a line'],
  ])('shows %s', async (_what, forge, line, how) => {
    const log = await open()
    for (const index of [0, 1, 2]) await log.append({ event: 'tx.intent', index })
    await log.close()
    await writeFile(path, forge(await readFile(path, 'utf8')))
    expect(await verify()).toMatchObject({ broken: { file: 'audit.jsonl', line, how: expect.stringMatching(how) } })
  })

  it('cuts off a line torn by a crash and says so', async () => {
    const log = await open()
    await log.append({ event: 'tx.intent' })
    await log.append({ event: 'tx.submitted' })
    await log.close()
    await truncate(path, (await stat(path)).size - 10)
    expect(await verify()).toMatchObject({ lines: 1, broken: null, isUnfinished: true })
    await (await open()).close()
    expect(await verify()).toMatchObject({ lines: 2, broken: null, isUnfinished: false })
    expect((await linesOf()).at(-1)).toMatchObject({ seq: 2, event: 'audit.recovered' })
  })

  it('goes on from a log that holds nothing but a torn line', async () => {
    await writeFile(path, '{"v":1,"seq":1')
    const log = await open()
    await log.append({ event: 'tx.intent' })
    await log.close()
    expect(await verify()).toMatchObject({ lines: 2, broken: null })
  })

  it.each([
    ['deleted', () => rm(path)],
    ['moved away', () => rename(path, `${path}.old`)],
    ['replaced', () => rm(path).then(() => writeFile(path, ''))],
  ])('rejects an append to a file that was %s', async (_what, meddle) => {
    const log = await open()
    await log.append({ event: 'tx.intent' })
    await meddle()
    await expect(log.append({ event: 'tx.intent' })).rejects.toThrow('deleted or replaced')
    await log.close()
  })

  it('rejects an append it could not write, and takes the next one', async () => {
    const log = await open()
    const loop: { event: 'tx.intent'; self?: unknown } = { event: 'tx.intent' }
    loop.self = loop
    const [failed, written] = await Promise.allSettled([log.append(loop), log.append({ event: 'tx.intent' })])
    expect([failed.status, written.status]).toEqual(['rejected', 'fulfilled'])
    await log.close()
    expect(await verify()).toMatchObject({ lines: 1, broken: null })
    await expect(log.append({ event: 'tx.intent' })).rejects.toThrow('closed')
  })

  it('writes what is noted before what is appended after it, or soon by itself', async () => {
    const log = await open()
    log.note({ event: 'tool.called' })
    log.note({ event: 'tx.simulated' })
    await log.append({ event: 'tx.intent' })
    expect((await linesOf()).map(({ event }) => event)).toEqual(['tool.called', 'tx.simulated', 'tx.intent'])
    log.note({ event: 'tx.submitted' })
    await expect.poll(async () => (await linesOf()).at(-1)?.['event']).toBe('tx.submitted')
    log.note({ event: 'tx.confirmed' })
    await log.close()
    expect((await linesOf()).at(-1)).toMatchObject({ event: 'tx.confirmed' })
  })

  it('takes secrets out before it hashes', async () => {
    const scrub = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('canary', 'hidden'))
    const log = await openAuditLog({ path, now, scrub })
    await log.append({ event: 'tool.called', params: { text: 'canary' } })
    await log.close()
    expect((await linesOf())[0]).toMatchObject({ params: { text: 'hidden' } })
    expect(await verify()).toMatchObject({ broken: null })
  })
})

describe('an audit log that has grown', () => {
  const fill = async (count: number) => {
    const log = await open({ maxBytes: 2_000 })
    for (let index = 0; index < count; index += 1)
      await log.append({ event: 'tx.intent', index, text: 'x'.repeat(100) })
    await log.close()
  }

  it('goes on in a new file with the same chain, also after a start, and removes none', async () => {
    await fill(20)
    await fill(20)
    const names = (await readdir(folder)).toSorted()
    expect(names).toEqual(
      expect.arrayContaining(['audit-1.jsonl', 'audit-2.jsonl', 'audit-checkpoints.json', 'audit.jsonl']),
    )
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    const { lines, broken } = await verify()
    expect([lines, broken]).toEqual([40 + names.length - 2, null])
    expect((await linesOf('audit-2.jsonl'))[0]).toMatchObject({ event: 'audit.rotated' })
    expect((await stat(join(folder, 'audit-1.jsonl'))).size).toBeLessThan(2_500)
  })

  it('can be verified from a file on, when the older ones are kept elsewhere', async () => {
    await fill(30)
    await rm(join(folder, 'audit-1.jsonl'))
    expect(await verify()).toMatchObject({ broken: { how: expect.stringContaining('--from') } })
    expect(await verify({ from: 2 })).toMatchObject({ broken: null })
    const second = join(folder, 'audit-2.jsonl')
    await writeFile(second, (await readFile(second, 'utf8')).split('\n').toSpliced(0, 1).join('\n'))
    expect(await verify({ from: 2 })).toMatchObject({ broken: { file: 'audit-2.jsonl', line: 1 } })
    expect(await verify({ from: 90 })).toMatchObject({ broken: { file: 'audit-checkpoints.json' } })
  })

  it('gives no number twice when all older files were moved away, and can be verified from the first that is left', async () => {
    const rotated = async () => (await readdir(folder)).filter((name) => /^audit-\d+\.jsonl$/.test(name))
    await fill(30)
    const moved = await rotated()
    for (const name of moved) await rm(join(folder, name))
    await fill(30)
    expect((await rotated()).filter((name) => moved.includes(name))).toEqual([])
    expect(await verify({ from: moved.length + 1 })).toMatchObject({ broken: null })
  })

  it('shows lines that were cut off the end of a rotated file', async () => {
    await fill(30)
    const first = join(folder, 'audit-1.jsonl')
    const kept = (await readFile(first, 'utf8')).trimEnd().split('\n').slice(0, -1)
    await writeFile(first, `${kept.join('\n')}\n`)
    expect(await verify()).toMatchObject({
      broken: { file: 'audit-1.jsonl', line: kept.length, how: expect.stringContaining('checkpoint') },
    })
  })

  it('goes on where a crash came between the renaming and the new file', async () => {
    await fill(3)
    await rename(path, join(folder, 'audit-1.jsonl'))
    await fill(1)
    expect(await verify()).toMatchObject({ lines: 4, broken: null })
  })
})
