import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openAuditLog } from './audit.ts'
import { readLatestAudit } from './read-audit-log.ts'

let dataDir = ''
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-audit-'))))
afterEach(() => rmSync(dataDir, { recursive: true }))

type Event = Parameters<Awaited<ReturnType<typeof openAuditLog>>['append']>[0]

/** Writes lines as a server does. */
async function write(events: readonly Event[], maxBytes?: number): Promise<void> {
  const log = await openAuditLog({
    path: join(dataDir, 'audit.jsonl'),
    now: () => 0,
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
  for (const event of events) await log.append(event)
  await log.close()
}

const called = (principal: string, requestId: string): Event => ({
  event: 'tool.called',
  requestId,
  actor: { principal, stage: 'api-key', tier: 'write' },
})

const seqs = async (of: string | null) => (await readLatestAudit(dataDir, of)).lines.map(({ seq }) => seq)

it('gives a principal the lines that name it and those of its requests, newest first, and to all of them who may see all', async () => {
  await write([
    called('one', 'r-1'),
    called('other', 'r-2'),
    { event: 'tx.settled', requestId: 'r-1' },
    { event: 'tx.settled', requestId: 'r-2' },
    { event: 'policy.changed', policyHash: 'ab' },
    { event: 'tx.approval.decided', operationId: 'o-1', actor: { principal: 'other' } },
    // Another's line about a request of the same name stays another's.
    called('other', 'r-1'),
  ])
  expect(await seqs('one')).toEqual([3, 1])
  expect(await seqs('other')).toEqual([7, 6, 4, 3, 2])
  expect(await seqs('on')).toEqual([])
  expect(await seqs('')).toEqual([])
  expect(await seqs(null)).toEqual([7, 6, 5, 4, 3, 2, 1])
})

it('goes back into the file before, and says what it did not look at', async () => {
  expect(await readLatestAudit(dataDir, null)).toEqual({ lines: [], isCut: false })
  await write([called('one', 'r-1'), called('one', 'r-2'), called('one', 'r-3')], 400)
  expect(statSync(join(dataDir, 'audit-1.jsonl')).size).toBeGreaterThan(0)
  const { lines, isCut } = await readLatestAudit(dataDir, 'one')
  expect(lines.map(({ requestId }) => requestId)).toEqual(['r-3', 'r-2', 'r-1'])
  expect(isCut).toBe(false)
})

it('reads no more than half a mebibyte, whole lines alone, and nothing that is no line of ours', async () => {
  const long = 'x'.repeat(1_000)
  const text = Array.from({ length: 2_000 }, (_, index) =>
    JSON.stringify({
      seq: index + 1,
      ts: '2026-01-02T03:04:05.000Z',
      event: 'tool.called',
      actor: { principal: 'one' },
      long,
    }),
  ).join('\n')
  writeFileSync(join(dataDir, 'audit.jsonl'), `${text}\n{"seq":"x"}\n[]\nnull\n{"seq":2001,"ts":"`)
  const { lines, isCut } = await readLatestAudit(dataDir, 'one')
  expect(isCut).toBe(true)
  expect(lines[0]?.seq).toBe(2_000)
  expect(lines.length).toBeGreaterThan(400)
  expect(lines.length).toBeLessThan(500)
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => 2_000 - index))
})
