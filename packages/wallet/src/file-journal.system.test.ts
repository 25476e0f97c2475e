import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFileJournal, type FileJournal } from './file-journal.ts'
import type { NewJournalEntry } from './journal.ts'
import { contractTime, journalContract } from './testing/journal-contract.ts'

let folder: string
let path: string
let opened: FileJournal[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-journal-'))
  path = join(folder, 'deep', 'journal.jsonl')
  opened = []
})
afterEach(async () => {
  for (const journal of opened) await journal.close()
  await rm(folder, { recursive: true })
})

describe('a journal in a file', () => {
  test.each(journalContract)('$name', async ({ run }) => run(openIt()))

  test('holds after it was closed what it held before, to the last digit', async () => {
    const before = openIt()
    const facts = { blockNumber: 2n ** 60n + 1n, blockHash: hashOf(9), gasUsed: 21_000n }
    for (const nonce of [0, 1, 2]) await before.recordSigned(sample(nonce))
    await before.mark(hashOf(0), 'broadcast')
    await before.mark(hashOf(0), 'mined', facts)
    await before.mark(hashOf(1), 'refused')
    const seen = await allOf(before)
    await before.close()
    expect(await allOf(openIt())).toEqual(seen)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('writes nothing for a mark that says what is known', async () => {
    const journal = openIt()
    await journal.recordSigned(sample(0))
    await journal.mark(hashOf(0), 'broadcast')
    const { size } = await stat(path)
    await journal.mark(hashOf(0), 'broadcast')
    expect((await stat(path)).size).toBe(size)
  })
})

describe('of a file that a crash cut', () => {
  test('at every byte of its last line, the lines before are kept and new ones follow', async () => {
    const whole = openIt()
    for (const nonce of [0, 1]) await whole.recordSigned(sample(nonce))
    await whole.close()
    const bytes = await readFile(path)
    const first = bytes.indexOf('\n') + 1
    for (let length = first; length < bytes.length; length += 1) {
      await writeFile(path, bytes.subarray(0, length))
      const journal = openIt()
      expect(await journal.nextNonce(1, alice)).toBe(1)
      await journal.recordSigned(sample(1))
      await journal.close()
      expect(await readFile(path)).toEqual(bytes)
    }
  })

  test('the zeros of a page that was never written end it', async () => {
    const whole = openIt()
    for (const nonce of [0, 1]) await whole.recordSigned(sample(nonce))
    await whole.close()
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(hashOf(1), '\0'.repeat(66)))
    expect(await openIt().nextNonce(1, alice)).toBe(1)
  })

  test.each([
    [1, (text: string) => text.replace('"nonce":0', '"nonce":7')],
    [2, (text: string) => text.replace(hashOf(1), '\0'.repeat(66))],
    [3, (text: string) => text.replace('"nonce":2', '"nonce":3')],
    [2, (text: string) => text.replace('\n', '\n\n')],
    [4, (text: string) => text + (text.split('\n')[0] ?? '') + '\n'],
  ])('damage elsewhere is refused, and line %i is named', async (line, damage) => {
    const whole = openIt()
    for (const nonce of [0, 1, 2]) await whole.recordSigned(sample(nonce))
    await whole.close()
    await writeFile(path, damage(await readFile(path, 'utf8')))
    const before = await readFile(path)
    for (let tries = 0; tries < 2; tries += 1) {
      const refused = openIt().nextNonce(1, alice)
      await expect(refused).rejects.toMatchObject({ code: 'JOURNAL_UNREADABLE', details: { path, line } })
    }
    expect(await readFile(path)).toEqual(before)
  })

  test('a file that grew behind its back is not mended by half', async () => {
    await openIt().recordSigned(sample(0))
    await appendFile(path, 'nonsense\n')
    await opened[0]?.close()
    await expect(openIt().open(1, alice)).rejects.toMatchObject({ details: { line: 2 } })
    await truncate(path, 0)
    expect(await openIt().open(1, alice)).toEqual([])
  })
})

describe('a file has one process at a time', () => {
  test('and one journal', async () => {
    await openIt().recordSigned(sample(0))
    const second = openIt()
    await expect(second.open(1, alice)).rejects.toMatchObject({
      code: 'JOURNAL_LOCKED',
      message: `The file ${path} is not free: this process has it open already.`,
      suggestion: expect.stringMatching(/^Make one journal and give it to all/),
    })
    await opened[0]?.close()
    expect(await openIt().nextNonce(1, alice)).toBe(1)
  })

  test('which another one is refused, until it is dead', async () => {
    const child = await hold()
    await expect(openIt().open(1, alice)).rejects.toMatchObject({
      code: 'JOURNAL_LOCKED',
      message: `The file ${path} is not free: another process has it.`,
      details: { path, lock: `${path}.lock` },
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await openIt().nextNonce(1, alice)).toBe(1)
  })

  test('and of many that find it dead, one takes it over', async () => {
    const child = await hold()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const claims = await Promise.allSettled(Array.from({ length: 8 }, () => openIt().nextNonce(1, alice)))
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason] : []))
    expect(refusals.map((refusal: { readonly code?: unknown }) => refusal.code)).toEqual(
      Array(7).fill('JOURNAL_LOCKED'),
    )
  })

  test('and of those that took it over and died on the way, none is in the way', async () => {
    const child = await hold()
    child.kill('SIGKILL')
    await once(child, 'exit')
    await cp(`${path}.lock`, `${path}.lock.lock`)
    await cp(`${path}.lock`, `${path}.lock.lock.lock`)
    const journal = openIt()
    expect(await journal.nextNonce(1, alice)).toBe(1)
    await journal.close()
    expect(await readdir(dirname(path))).toEqual([basename(path)])
  })

  test.each([
    ['another host', (lock: object) => ({ ...lock, host: 'elsewhere' }), false],
    ['a process whose id was given out again', (lock: object) => ({ ...lock, startedAt: '1' }), true],
    ['a machine that was started again', (lock: object) => ({ ...lock, boot: 'before' }), true],
  ])('a lock of %s', async (_whose, change, isFree) => {
    const journal = openIt()
    await journal.recordSigned(sample(0))
    const lock = JSON.parse(await readFile(`${path}.lock`, 'utf8')) as object
    await journal.close()
    await writeFile(`${path}.lock`, JSON.stringify(change(lock)))
    const answer = await openIt()
      .nextNonce(1, alice)
      .catch((error: unknown) => error)
    const isTaken = isFree && process.platform === 'linux'
    const refused: unknown = expect.objectContaining({ code: 'JOURNAL_LOCKED' })
    expect(answer).toEqual(isTaken ? 1 : refused)
  })
})

test('a process that is killed while it writes loses nothing that it was told is kept', async () => {
  for (let run = 0; run < 4; run += 1) {
    const child = write(1_000)
    let reported = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      reported += chunk.toString()
      if (reported.split('\n').length > 5 * (run + 1)) child.kill('SIGKILL')
    })
    await once(child, 'close')
    const last = Number(reported.trimEnd().split('\n').at(-1))
    const journal = openIt()
    expect(await journal.nextNonce(1, alice)).toBeGreaterThan(last)
    await journal.close()
  }
})

test('after a write that failed every call does, and what was kept before is there for the next process', async () => {
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 4; exec "$0" "$@"', process.execPath]
  const child = spawn('sh', [...limited, ...writing(1_000, '(error) => { console.log(error.code) }')], {
    stdio: 'pipe',
  })
  let reported = ''
  child.stdout.on('data', (chunk: Buffer) => {
    reported += chunk.toString()
    if (reported.includes('done')) child.kill('SIGKILL')
  })
  await once(child, 'close')
  const [refused, again, ...more] = reported
    .trim()
    .split('\n')
    .filter((line) => !/^\d+$/.test(line))
  expect([refused, again, ...more]).toEqual(['JOURNAL_UNREADABLE', 'JOURNAL_UNREADABLE', 'done'])
  const last = reported.split('\n').findLast((line) => /^\d+$/.test(line))
  expect(await openIt().nextNonce(1, alice)).toBe(Number(last) + 1)
})

function openIt(): FileJournal {
  const journal = createFileJournal(path, { now: () => contractTime })
  opened.push(journal)
  return journal
}

/** Another process that signs once and lives on. */
async function hold() {
  const child = write(1)
  await once(child.stdout ?? child, 'data')
  return child
}

/** Another process that signs so many, says each nonce once it is kept, and lives on. */
function write(count: number) {
  return spawn(process.execPath, writing(count, 'null'), { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** `failed` is called with what the first write that fails and the call after it reject with. */
function writing(count: number, failed: string): string[] {
  const program = `
    import { createFileJournal } from ${JSON.stringify(new URL('../dist/file-journal.js', import.meta.url).href)}
    const journal = createFileJournal(${JSON.stringify(path)})
    const base = ${JSON.stringify(sample(0))}
    const failed = ${failed}
    const first = (await journal.nextNonce(1, base.from)) ?? 0
    let isBroken = false
    for (let nonce = first; nonce < first + ${count} && !isBroken; nonce += 1) {
      const signing = journal.recordSigned({ ...base, requestId: 'r' + nonce, nonce, hash: '0x' + nonce.toString(16).padStart(64, '0') })
      await signing.then(() => console.log(nonce), (error) => { isBroken = true; failed(error) })
    }
    if (isBroken) await journal.open(1, base.from).catch(failed)
    if (isBroken) console.log('done')
    setInterval(() => {}, 1000)`
  return ['--input-type=module', '-e', program]
}

async function allOf(journal: FileJournal) {
  return [await journal.open(1, alice), await journal.refused(1, alice), await journal.byHash(hashOf(0))]
}

const alice = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function sample(nonce: number): NewJournalEntry {
  return {
    requestId: `request-${nonce}`,
    step: 0,
    chainId: 1,
    from: alice,
    nonce,
    attempt: 0,
    rawTransaction: '0x02f8',
    hash: hashOf(nonce),
    reservationId: null,
  }
}

function hashOf(index: number): `0x${string}` {
  return `0x${index.toString(16).padStart(64, '0')}`
}
