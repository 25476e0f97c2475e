import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callCommand } from '../calls.fixture.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-memory-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const svc = (...words: readonly string[]) => callCommand(['memory', ...words, '--data-dir', directory])

/** So many records of Ann, and one of Bob. */
async function remember(count: number): Promise<void> {
  const store = await openStore({ path: join(directory, 'state.db'), now: () => Date.UTC(2026, 10, 21) })
  const record = { kind: 'insight', chainId: 1, pair: '0xaa-0xbb', subject: null, confidence: 0.5 } as const
  const keep = (owner: string, text: string) =>
    store.memory.of(owner).keep({ ...record, content: JSON.stringify({ text, isRetired: false }) })
  for (let index = 0; index < count; index += 1) await keep('ann', `${index}`)
  await keep('bob', 'quote " and \u001b[31m')
  await store.close()
}

type Exported = {
  readonly records: readonly { readonly principal: string; readonly content: { readonly text: string } }[]
}

const exported = async (...words: readonly string[]) =>
  (JSON.parse((await svc('export', ...words)).stdout) as Exported).records

test('svc memory export gives all records as JSON, or those of one caller', async () => {
  await remember(2)
  const records = await exported()
  expect(records.map(({ principal, content }) => [principal, content.text])).toEqual([
    ['ann', '0'],
    ['ann', '1'],
    ['bob', 'quote " and \u001b[31m'],
  ])
  const times = { createdAt: '2026-11-21T00:00:00.000Z', updatedAt: '2026-11-21T00:00:00.000Z' }
  expect(records[0]).toMatchObject({ kind: 'insight', chainId: 1, pair: '0xaa-0xbb', confidence: 0.5, ...times })
  expect((await svc('export')).stdout).not.toContain('\u001b')
  expect(await exported('--principal', 'bob')).toHaveLength(1)
  expect(await exported('--principal', 'carl')).toEqual([])
})

test('svc memory forget takes away what is named, after a yes alone', async () => {
  await remember(2)
  expect(await svc('forget', '--principal', 'ann', '--json')).toMatchObject({
    code: 0,
    stdout: '{"records":2,"forgotten":0}\n',
  })
  expect(await exported()).toHaveLength(3)
  expect(await svc('forget', '--principal', 'ann', '--yes')).toMatchObject({
    code: 0,
    stdout: 'Forgot 2 records of ann.\n',
  })
  expect(await svc('forget', '--principal', 'ann', '--yes')).toMatchObject({
    stdout: 'Nothing of ann is remembered.\n',
  })
  expect(await exported()).toHaveLength(1)
  expect(await svc('forget', '--all', '--yes', '--json')).toMatchObject({ stdout: '{"records":1,"forgotten":1}\n' })
  expect(await exported()).toEqual([])
})

test.each([
  [[], 'svc memory takes export or forget'],
  [['forget'], 'takes --principal ID or --all'],
  [['forget', '--all', '--principal', 'ann', '--yes'], 'takes --principal ID or --all'],
  [['forget', '--all'], 'There is no terminal to ask on.'],
] as const)('svc memory %j is refused', async (words, says) => {
  await remember(0)
  expect(await svc(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) as string })
  expect(await exported()).toHaveLength(1)
})

test('svc memory says where there is no state', async () => {
  expect(await svc('export')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('holds no state') as string,
  })
})
